import type { LineKey, OutputPosition, ShellIntegration, TypedLine } from '#model';

/** A running command. */
export interface Open {
  readonly number: number;
  readonly line: string | null;
  readonly cwd: string | null;
  readonly startedAtMs: number;
  /** By the monotonic clock. */
  readonly startedNowMs: number;
  readonly startRevision: number;
  readonly from: OutputPosition;
}

/** The state of a ledger, apart from the commands that ended. A plain JSON value. */
export interface SavedLedger {
  readonly integration: ShellIntegration;
  readonly open: Open | null;
  readonly prompt: OutputPosition | null;
  readonly promptLine: number | null;
  readonly promptOffset: number | null;
  readonly continues: boolean;
  readonly typing: OutputPosition | null;
  readonly typedLines: readonly TypedLine[];
  readonly isNextPromptNew: boolean;
  readonly marksPromptEnd: boolean;
  readonly nextLine: string | null;
  readonly cwd: string | null;
  readonly withoutCommand: {
    /** Null if the shell does not know it. */
    readonly exitCode: number | null;
    readonly offset: number;
    /** Absent where an earlier version saved it. */
    readonly line?: number | null;
    /** The number of the mark; absent where an earlier version saved it. */
    readonly number?: number;
  } | null;
  readonly count: number;
  readonly promptNumber: number;
  readonly starts: readonly OutputPosition[];
  /** Absent where an earlier version saved it. */
  readonly lineKey?: LineKey | null;
}

export const emptyLedger: SavedLedger = {
  integration: 'none',
  open: null,
  prompt: null,
  promptLine: null,
  promptOffset: null,
  continues: false,
  typing: null,
  typedLines: [],
  isNextPromptNew: true,
  marksPromptEnd: false,
  nextLine: null,
  cwd: null,
  withoutCommand: null,
  count: 0,
  promptNumber: 0,
  starts: [],
};
