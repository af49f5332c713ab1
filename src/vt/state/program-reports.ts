import { cleanLine } from '#base';
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

/** In UTF-16 code units; longer titles are truncated. */
const maxTitleLength = 4096;
/** The same limit as xterm. */
const maxStack = 10;

interface TitlePair {
  readonly window: string;
  readonly icon: string;
}

/** The titles of the window and its icon (OSC 0, 1, 2), and xterm's stack of them (CSI 22 t). */
export class Titles {
  #window = '';
  #icon = '';
  #stack: TitlePair[] = [];
  #changed = false;

  /** Allocated memory in bytes. */
  get bytes(): number {
    const pairs = [this, ...this.#stack];
    return pairs.reduce((sum, { window, icon }) => sum + 2 * (window.length + icon.length), 0);
  }

  get window(): string {
    return this.#window;
  }

  get icon(): string {
    return this.#icon;
  }

  get stack(): readonly TitlePair[] {
    return this.#stack;
  }

  setWindow(title: string): void {
    const clean = cleanLine(title, maxTitleLength);
    if (clean === this.#window) return;
    this.#window = clean;
    this.#changed = true;
  }

  setIcon(title: string): void {
    this.#icon = cleanLine(title, maxTitleLength);
  }

  /** On a full stack, drops the oldest pair. */
  push(): void {
    if (this.#stack.length === maxStack) this.#stack.shift();
    this.#stack.push({ window: this.#window, icon: this.#icon });
  }

  pop(which: { window: boolean; icon: boolean }): void {
    const pair = this.#stack.pop();
    if (pair === undefined) return;
    if (which.window) this.setWindow(pair.window);
    if (which.icon) this.setIcon(pair.icon);
  }

  /** Whether the window's title changed since the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }
}
