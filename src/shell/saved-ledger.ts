import type { LineKey, OutputPosition, RedrawnPart, ShellIntegration, TypedLine } from '#model';

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

/** A prompt on the screen. */
export interface DrawnPrompt {
  /** Where it begins. */
  readonly from: { readonly line: number; readonly col: number };
  /** What the shell draws again after a resize. */
  readonly redraws: RedrawnPart;
  /** Where it ends; null while it is not complete. */
  readonly end: OutputPosition | null;
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
  /** Absent where an earlier version saved it. */
  readonly drawn?: DrawnPrompt | null;
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
