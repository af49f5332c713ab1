import type { ExitStatus } from './exit-status.ts';

/**
 * Why a wait ended, in one word. The first four are results of the program's doing, `timed_out`
 * of its not doing; none is an error.
 */
export type WaitOutcome = 'matched' | 'idle' | 'exited' | 'timed_out';

/** What every wait takes. */
export interface WaitOptions {
  /** Overall deadline, clamped to 0..{@link maxWaitMs}; {@link defaultWaitMs} when absent. */
  readonly timeoutMs?: number;
  /** Ends the wait with CANCELLED. The program is left alone. */
  readonly signal?: CancelSignal;
}

export interface WaitForTextRequest extends WaitOptions {
  /**
   * RE2. Matched against logical lines as a person sees them. A match counts when it shows something
   * that was written after the call; it may begin in what stood there before, up to 16 Ki characters
   * earlier.
   */
  readonly pattern: string;
}

export interface WaitForIdleRequest extends WaitOptions {
  /** Silence that counts as idle, in ms; {@link defaultQuietMs} when absent. */
  readonly quietMs?: number;
}

export interface WaitResult {
  readonly outcome: WaitOutcome;
  /** The line that matched, and the match itself; for `matched` only. */
  readonly match?: TextMatch;
  /** For `exited`, and whenever the program had ended by the time the wait did. */
  readonly exitStatus: ExitStatus | null;
  /** The screen that the result speaks of is at least this new. */
  readonly revision: number;
  /** The time-out that was in force after clamping. */
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}

export interface TextMatch {
  /** Line number, or null on the alternate screen, whose rows have none. */
  readonly line: number | null;
  readonly text: string;
  readonly matched: string;
}

export const defaultWaitMs = 30_000;
export const defaultQuietMs = 5_000;
/** A day. Longer waits are a subscription. */
export const maxWaitMs = 86_400_000;

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
