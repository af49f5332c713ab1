import type { ProgressState } from '#model';

export interface ReportedCwd {
  readonly cwd: string;
  /** Empty where it was not said. */
  readonly host: string;
}

export interface Progress {
  readonly state: ProgressState;
  /** 0 to 100. */
  readonly percent: number | null;
}

/** A notification of which more is to come (OSC 99, d=0). */
export interface NotificationDraft {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** The numbers of OSC 9;4. */
export const progressStates: readonly ProgressState[] = [
  'none',
  'normal',
  'error',
  'indeterminate',
  'paused',
];

/** What the program last said of itself. */
export class ProgramReports {
  cwd: ReportedCwd | null = null;
  progress: Progress = { state: 'none', percent: null };
  draft: NotificationDraft | null = null;
}

/** As sequences that say it again. */
export function dumpReports({ cwd, progress, draft }: ProgramReports, parts: string[]): void {
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
}
