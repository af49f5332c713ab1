import type { CommandRecord } from './command.ts';
import type { ExitStatus } from './exit-status.ts';
import type { Excerpt, ReadBudget, ReadMark } from './read.ts';

/**
 * Why a wait ended, in one word. All but `timed_out` are of the program's doing, that one is of its
 * not doing; none is an error.
 */
export type WaitOutcome =
  /** A pattern of `match` or `screen` matched. */
  | 'matched'
  /** A pattern of `stop` matched. */
  | 'stopped'
  /** A command of the shell ended. */
  | 'finished'
  /** A shell, or what looks like one, asks for the next command. */
  | 'prompt'
  /** Nothing changed for `quietMs`. */
  | 'idle'
  | 'title'
  | 'bell'
  | 'exited'
  | 'timed_out';

/** How long a wait may take, and who may end it. */
export interface WaitOptions {
  /** Overall deadline, clamped to 0..{@link maxWaitMs}; {@link defaultWaitMs} when absent. */
  readonly timeoutMs?: number;
  /** Ends the wait with CANCELLED. The program is left alone. */
  readonly signal?: CancelSignal;
}

/**
 * What to wait for: any of it, whichever is first. The exit of the program and the deadline end
 * every wait; with nothing else asked for, it is a wait for the exit. Patterns are RE2.
 *
 * What counts begins with the call, or with `since`. Where several hold at once, `stopped` wins over
 * `matched`, and both over all others.
 */
export interface WaitRequest extends WaitOptions {
  /** What counts begins here instead of with the call. */
  readonly since?: ReadMark;
  /**
   * Matched against the lines of the output as a person sees them, the one that is still being
   * written too. A match has to show something that was printed since; it may begin in what stood
   * there before, up to 16 Ki characters earlier.
   */
  readonly match?: readonly string[];
  /** As `match`; says that what was waited for will not come. */
  readonly stop?: readonly string[];
  /** Matches the patterns of `match` and `stop` against the untouched bytes of the output instead. */
  readonly raw?: boolean;
  /** Matched against the lines of the screen as it is, whenever it came to be so. */
  readonly screen?: readonly string[];
  /** A command ended: known by shell integration, and never without it. */
  readonly finished?: boolean;
  /**
   * A prompt is there: known by shell integration; without it, by `promptPattern`, once nothing has
   * been printed for a moment.
   */
  readonly prompt?: boolean;
  /** RE2, for the text left of the cursor; {@link defaultPromptPattern} when absent. */
  readonly promptPattern?: string;
  /** Silence that counts as idle, in ms: no visible change. Not waited for when absent. */
  readonly quietMs?: number;
  /** Rows of the screen that match do not count for `quietMs`: a clock, a spinner. */
  readonly ignore?: readonly string[];
  /**
   * Whether a row that is painted over and over, while nothing else changes, counts for `quietMs`.
   * False when absent.
   */
  readonly countSpinners?: boolean;
  /** Matched against the title, when it changes. */
  readonly title?: string;
  /** The bell rings. */
  readonly bell?: boolean;
  /** How much of the output since is told; 20 lines and 4 KiB of its end when absent. */
  readonly tail?: ReadBudget;
}

export interface WaitResult {
  readonly outcome: WaitOutcome;
  /** For `matched`, `stopped` and `title`: the pattern that did. */
  readonly pattern?: MatchedPattern;
  /** For `matched` and `stopped`. */
  readonly match?: TextMatch;
  /** For `finished`: what ended. */
  readonly command?: CommandRecord;
  /** For `idle`: the rows that changed all the same, and were not counted. */
  readonly masked?: readonly string[];
  /** For `exited`, and whenever the program had ended by the time the wait did. */
  readonly exitStatus: ExitStatus | null;
  /** The output since the call, or since `since`. */
  readonly output: Excerpt;
  /** Where the next wait or read goes on. */
  readonly mark: ReadMark;
  /** The screen that the result speaks of is at least this new. */
  readonly revision: number;
  /** The time-out that was in force after clamping. */
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}

export interface MatchedPattern {
  readonly of: 'match' | 'stop' | 'screen' | 'title';
  /** Which of the list, from 0 on. */
  readonly index: number;
  readonly source: string;
}

export interface TextMatch {
  /** Line number, or null on the alternate screen, whose rows have none, and for raw output. */
  readonly line: number | null;
  /** The line; of raw output, the match and some of what is around it. */
  readonly text: string;
  readonly matched: string;
  /** What the groups of the pattern took, from the first on; null for those that took no part. */
  readonly groups: readonly (string | null)[];
}

export const defaultWaitMs = 30_000;
export const defaultQuietMs = 5_000;
/** A day. Longer waits are a subscription. */
export const maxWaitMs = 86_400_000;
/** The end of what most shells and REPLs ask with. */
export const defaultPromptPattern = '\\$\\s*$|#\\s*$|>\\s*$';

/** Times that a caller gives are clamped, never refused; no number is as if none were given. */
export function clampWaitMs(askedMs: number | undefined, defaultMs: number): number {
  if (askedMs === undefined || Number.isNaN(askedMs)) return defaultMs;
  return Math.min(Math.max(0, askedMs), maxWaitMs);
}

/** The part of an `AbortSignal` that a wait uses; every `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
