import type { ProgressState } from '#model';
import { ProgramStatuses } from './program-status.ts';

export interface ReportedCwd {
  readonly cwd: string;
  /** Empty if not specified. */
  readonly host: string;
}

export interface Progress {
  readonly state: ProgressState;
  /** 0 to 100. */
  readonly percent: number | null;
}

/** An incomplete notification (OSC 99, d=0). */
export interface NotificationDraft {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** By number in OSC 9;4. */
export const progressStates: readonly ProgressState[] = [
  'none',
  'normal',
  'error',
  'indeterminate',
  'paused',
];

/** The last values that the program reported about itself. */
export class ProgramReports {
  cwd: ReportedCwd | null = null;
  progress: Progress = { state: 'none', percent: null };
  draft: NotificationDraft | null = null;
  readonly statuses = new ProgramStatuses();
}

/** Appends the sequences that report the same values. */
export function dumpReports(reports: ProgramReports, parts: string[]): void {
  const { cwd, progress, draft, statuses } = reports;
  if (cwd !== null) {
    const path = cwd.cwd.split('/').map(encodeURIComponent).join('/');
    parts.push(`\x1b]7;file://${encodeURIComponent(cwd.host)}${path}\x1b\\`);
  }
  if (progress.state !== 'none' || progress.percent !== null) {
    const number = progressStates.indexOf(progress.state);
    parts.push(`\x1b]9;4;${number};${progress.percent ?? ''}\x1b\\`);
  }
  if (draft !== null) {
    parts.push(`\x1b]99;i=${draft.id}:d=0;${draft.title}\x1b\\`);
    parts.push(`\x1b]99;i=${draft.id}:d=0:p=body;${draft.body}\x1b\\`);
  }
  statuses.dump(parts);
}
