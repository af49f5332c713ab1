import type { Activity, AgentInfo, AgentState, Menu } from './activity.ts';
import type { CommandRecord } from './command.ts';
import type { DriverState } from './driver.ts';
import type { StatusState } from './events.ts';
import type { ExitStatus } from './lifetime.ts';
import type {
  Excerpt,
  ReadBudget,
  ReadMark,
  ReadRequest,
  ReadResult,
  Redacted,
  RedactRequest,
} from './read.ts';
import type { ToldStatus } from './report.ts';
import type { SessionInfo } from './session.ts';

/** The reason why a wait ended. None of the outcomes is an error. */
export type WaitOutcome =
  /** A pattern of `match` or `screen` matched. */
  | 'matched'
  /** A pattern of `stop` matched. */
  | 'stopped'
  /** A command of the shell ended. */
  | 'finished'
  /** A shell prompt appeared. */
  | 'prompt'
  /** The program waits for a line or a key. */
  | 'awaiting_input'
  /** As `awaiting_input`, and the terminal does not echo. */
  | 'password'
  /** No visible change for `quietMs`. */
  | 'idle'
  /** The title changed to one that matches `title`. */
  | 'title'
  /** The bell rang. */
  | 'bell'
  /** No person drives. */
  | 'driver'
  /** The coding agent is in one of the states of `agent`. */
  | 'agent'
  /** The program says that it is in one of the states of `status`. */
  | 'status'
  /** Nothing happened for 5 s after a prompt was submitted, and the agent is not busy. */
  | 'stalled'
  /** The program ended. */
  | 'exited'
  | 'timed_out';

/** The timeout and the cancellation of a wait. */
export interface WaitOptions {
  /** Timeout in ms, clamped to 0..{@link maxWaitMs}. Default: {@link defaultWaitMs}. */
  readonly timeoutMs?: number;
  /** Cancels the wait: it fails with CANCELLED. The program is not affected. */
  readonly signal?: CancelSignal;
}

/**
 * The conditions of a wait. The first one that is met ends the wait. The exit of the program and
 * the timeout end every wait; without other conditions, the wait is for the exit. Patterns are RE2.
 *
 * The wait covers the output from the call on, or from `since` on. If several conditions are met at
 * once, `stop` has precedence over `match`, and both over all others.
 */
export interface WaitRequest extends WaitOptions, RedactRequest {
  /** The wait covers the output from this mark on, instead of from the call on. */
  readonly since?: ReadMark;
  /**
   * Matched against the lines of the output as displayed, including the unfinished last line. A
   * match must include text printed since the beginning of the wait; it may begin up to 16 Ki
   * UTF-16 code units earlier in the line. The echo of input that is sent with the wait, or was sent
   * since `since`, does not count; see {@link WaitResult.inEcho}. Neither does text that was on the screen and is
   * drawn again; see {@link WaitResult.redrawn}.
   */
  readonly match?: readonly string[];
  /** As `match`; a match means that the wait has failed. */
  readonly stop?: readonly string[];
  /** Matches the patterns of `match` and `stop` against the raw output instead. */
  readonly raw?: boolean;
  /** Matched against the lines of the current screen, including text from before the wait. */
  readonly screen?: readonly string[];
  /**
   * A command ended. Requires shell integration. Without `since`, a command that ended since the last
   * input of the session counts. If there is no command to wait for, because the shell shows an empty
   * prompt, the outcome is `prompt`.
   */
  readonly finished?: boolean;
  /**
   * A prompt is shown: the shell's, recognised by its marks, or the unfinished line of a program that
   * reads the terminal, once nothing has been printed for a moment. Where the reads are unknown, the
   * line must match `promptPattern`.
   */
  readonly prompt?: boolean;
  /** Matched against the text left of the cursor. Default: {@link defaultPromptPattern}. */
  readonly promptPattern?: string;
  /**
   * The program waits for input: a question, a pager, a REPL. Checked after 300 ms without a visible
   * change, and then once a second. At a shell's own prompt the outcome is `prompt`. A coding agent asks by its state;
   * when it is idle, the outcome is `agent`.
   */
  readonly asks?: boolean;
  /** The time without a visible change that counts as idle, in ms. Default: no such condition. */
  readonly quietMs?: number;
  /** Changes of rows that match are ignored for `quietMs`: a clock with more beside it, a spinner. */
  readonly ignore?: readonly string[];
  /**
   * Whether a row that is repainted at most twice a second, while nothing else changes, counts for
   * `quietMs`: a clock. Repainted more often, it counts always: a spinner. Default: false.
   */
  readonly countClocks?: boolean;
  /** Matched against the title when it changes. */
  readonly title?: string;
  /** The bell rings. */
  readonly bell?: boolean;
  /** No person drives: at once, or when the one who does gives back. */
  readonly driver?: boolean;
  /**
   * The coding agent in the foreground is in one of these states: at once, or when it is. For a wait that is sent with
   * input, `idle` counts only when it begins after the input, and so does `asks`. A wait that is sent with a prompt
   * (`submit`) counts `idle` when the turn of the prompt has ended; if nothing happens, the outcome is `stalled`.
   * A session without an agent is never in one; see {@link WaitResult.noAgent}.
   */
  readonly agent?: readonly AgentState[];
  /** `idle` counts only when at least this many turns have ended; see {@link AgentInfo.turn}. */
  readonly agentTurn?: number;
  /**
   * The program in the foreground says that it is in one of these states (OSC 7501, or a report): at once, or when it
   * says so. For a wait that is sent with input, only what it says after the input counts.
   */
  readonly status?: readonly StatusState[];
  /** A state counts only if it began later than this, in ms since 1970: earlier ones are known to the caller. */
  readonly agentAfterMs?: number;
  /** Limits of the returned output. Default: the last 20 lines, at most 4 KiB. */
  readonly tail?: ReadBudget;
  /**
   * Reads when the wait has ended, in the same call, with the {@link RedactRequest.redact} of the wait. If a command
   * ended the wait, `until` is its end. Default: nothing is read.
   */
  readonly read?: Omit<ReadRequest, 'redact' | 'until'>;
}

export interface WaitResult extends Redacted {
  readonly outcome: WaitOutcome;
  /** Set for `matched`, `stopped` and `title`: the pattern that matched. */
  readonly pattern?: MatchedPattern;
  /** Set for `matched` and `stopped`. */
  readonly match?: TextMatch;
  /**
   * Set if the match may be the echo of the input that was sent since the beginning of the wait. A
   * match that is known to be the echo does not count; for `timed_out`, there were such matches.
   */
  readonly inEcho?: boolean;
  /**
   * Set if the matched text may have been on the screen before: text that is drawn again does not count, but whether it
   * was drawn again could not be told.
   */
  readonly redrawn?: boolean;
  /**
   * Set for `timed_out` if a pattern of `match` matches output from before the wait: the newest such
   * match in the last 300 lines.
   */
  readonly matchedBefore?: TextMatch;
  /**
   * Set for `timed_out` if it could be read: the activity of the session at that time. With `read`, it is set
   * for other outcomes than `finished`, `prompt`, `awaiting_input`, `password` and `exited`, too.
   */
  readonly activity?: Activity;
  /** Set if a read was requested: the session when it was read. Absent if the read failed. */
  readonly session?: SessionInfo;
  /** Set with `session`: what was read. */
  readonly read?: ReadResult;
  /** Set for `finished`: the command that ended. */
  readonly command?: CommandRecord;
  /**
   * Set for `awaiting_input` and `password`: the question of a menu with its choices, else the end of
   * the text left of the cursor in its line, at most 1000 UTF-16 code units.
   */
  readonly question?: string;
  /**
   * Set if only the text left of the cursor shows that the outcome is `awaiting_input` or `password`. The system
   * does not report that a program reads if it runs behind ssh or another relay, or on a system other than Linux.
   */
  readonly guess?: boolean;
  /** Set with `question` if the program shows choices; `question` has them in one line. */
  readonly menu?: Menu;
  /** Set with `question` if the screen shows it; see {@link AgentInfo.questionId}. */
  readonly questionId?: string;
  /** Set for `awaiting_input` and `password` if it is known: the name of the program that waits. */
  readonly program?: string;
  /** Set for `idle`: the rows whose changes were ignored. */
  readonly masked?: readonly string[];
  /** Set for `agent` and `stalled`, and for `awaiting_input` if an agent asks. */
  readonly agent?: AgentInfo;
  /** Set for `status`: what the program says. */
  readonly programStatus?: ToldStatus;
  /** Set for `timed_out` if the wait was for an agent, and none is known in the foreground. */
  readonly noAgent?: true;
  /** Set for `driver`: the epoch for the next input, and what the person left. */
  readonly driver?: DriverState;
  /** Set for `exited`, and whenever the program has ended; null while it runs. */
  readonly exitStatus: ExitStatus | null;
  /** The output since the call, or since `since`. */
  readonly output: Excerpt;
  /**
   * For patterns with `since`: how many lines after the mark were not searched, because they are no longer kept, even
   * in the archive. Absent: none.
   */
  readonly lostLines?: number;
  /** The same in bytes, for `raw`. */
  readonly lostBytes?: number;
  /** A mark from which the next wait or read continues. */
  readonly mark: ReadMark;
  /** The revision of the session when the wait ended. */
  readonly revision: number;
  /** The timeout that applied, after clamping. */
  readonly timeoutMs: number;
  readonly elapsedMs: number;
}

export interface MatchedPattern {
  readonly of: 'match' | 'stop' | 'screen' | 'title';
  /** The index in the list; 0-based. */
  readonly index: number;
  readonly source: string;
}

export interface TextMatch {
  /**
   * The line number; null on the alternate screen, whose rows have no numbers, and for raw output.
   */
  readonly line: number | null;
  /** The line; for raw output, the match with its surroundings. */
  readonly text: string;
  readonly matched: string;
  /** The capture groups of the pattern, from the first on; null if a group did not participate. */
  readonly groups: readonly (string | null)[];
}

export const defaultWaitMs = 30_000;
export const defaultQuietMs = 5_000;
/** One day. Use a subscription for longer waits. */
export const maxWaitMs = 86_400_000;
/** Matches the end of the prompts of most shells and REPLs. */
export const defaultPromptPattern = '\\$\\s*$|#\\s*$|>\\s*$';

/** Returns a caller's time in ms, clamped to 0..{@link maxWaitMs}; the default if absent or NaN. */
export function clampWaitMs(askedMs: number | undefined, defaultMs: number): number {
  if (askedMs === undefined || Number.isNaN(askedMs)) return defaultMs;
  return Math.min(Math.max(0, askedMs), maxWaitMs);
}

/** The part of `AbortSignal` that vtr uses. Every `AbortSignal` qualifies. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Returns the first of several waits that is met; if none is, one that ended without, rather by its timeout than
 * with its program.
 *
 * @param isMet whether a wait that ended has met a condition
 * @param onFailure called for each wait that fails
 * @throws what the first wait that failed threw, if no wait ended
 */
export function firstWait<W extends { readonly result: { readonly outcome: string } }>(
  waits: readonly Promise<W>[],
  isMet: (wait: W) => boolean,
  onFailure: (thrown: unknown) => void,
): Promise<W> {
  return new Promise((resolve, reject) => {
    for (const wait of waits) {
      wait.then((ended) => {
        if (isMet(ended)) resolve(ended);
      }, onFailure);
    }
    void Promise.allSettled(waits).then((all) => {
      const ended = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const late = ended.find(({ result }) => result.outcome === 'timed_out');
      const failure = all.find((each) => each.status === 'rejected');
      const last = late ?? ended[0];
      if (last !== undefined) resolve(last);
      else reject(failure?.reason);
    });
  });
}

/**
 * A signal for its owner to abort: the part of an `AbortController` and its signal that vtr uses. Those cost
 * many times as much, and each call and each input needs one.
 */
export class Cancellation implements CancelSignal {
  #isAborted = false;
  #reason: unknown;
  readonly #listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.#isAborted;
  }

  /** As it was given to {@link abort}. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Calls the listeners. Further calls do nothing. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
  }

  /** @throws the reason */
  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
