import { VtrError } from './errors.ts';
import type { ExitStatus } from './lifetime.ts';
import type { Redacted, RedactRequest } from './read.ts';
import type { CancelSignal } from './wait.ts';

/**
 * Asks for the next lines of a session's output: those that have left the screen, and those above the cursor that
 * the program no longer changes.
 */
export interface FollowRequest extends RedactRequest {
  /** The first line to return. Default: the oldest that can be read. */
  readonly from?: number;
  /**
   * The lines directly before `from` that may still change (from {@link FollowResult.screenLine} of the last answer
   * on), as they were returned. The answer begins with the first of them that has changed. Default: none.
   */
  readonly shown?: readonly string[];
  /** How long a line on the screen must stay unchanged, in ms, 50 or more. Default: 250. */
  readonly settleMs?: number;
  /** How long to wait for the next line, in ms; 0 to 50,000. Default: 0. */
  readonly timeoutMs?: number;
  /**
   * Names the reader. The program waits when it is 16 MiB ahead of it, until a minute after its last call.
   * Default: the program does not wait.
   */
  readonly reader?: string;
  /** Ends the call with CANCELLED. */
  readonly signal?: CancelSignal;
}

export interface FollowResult extends Redacted {
  /**
   * Whole lines, each with a line feed; empty if none came in time. With `ended`, it is also the last line, which
   * has no line feed if the program wrote none, and the rows of the alternate screen if that is shown.
   */
  readonly text: string;
  /** The line from which the next call continues. */
  readonly nextLine: number;
  /** The lines before the text, from `from` on, that are no longer kept. */
  readonly lostLines: number;
  /** The topmost line on the screen: those before it no longer change. */
  readonly screenLine: number;
  /** Whether the text begins with lines before `from`, which have changed. */
  readonly again: boolean;
  /** Whether the program has exited and `text` is the last of its output. */
  readonly ended: boolean;
  /** Null while the program runs. */
  readonly exitStatus: ExitStatus | null;
  readonly revision: number;
}

/** What a reader remembers: the lines that were returned and have not left the screen. */
export class RememberedLines {
  /** For {@link FollowRequest.shown}. */
  lines: readonly string[] = [];
  #end = 0;

  /** Notes an answer to a request that begins where the last one ended. */
  add({ text, nextLine, screenLine, ended }: FollowResult): void {
    if (ended) return;
    const added = text.split('\n').slice(0, -1);
    const first = nextLine - added.length;
    const begin = this.#end - this.lines.length;
    const before = this.lines.slice(0, Math.max(0, first - begin));
    const all = [...before, ...added];
    // After a gap, the lines before it are not directly before the others.
    const lines = begin + before.length === first ? all : added;
    this.lines = lines.slice(Math.max(0, lines.length - Math.max(0, nextLine - screenLine)));
    this.#end = nextLine;
  }
}

const defaultSettleMs = 250;
const minSettleMs = 50;
const maxFollowMs = 50_000;

/** Returns the times of a request, within their bounds. @throws VtrError INVALID_ARGUMENT */
export function followTimes({ settleMs = defaultSettleMs, timeoutMs = 0 }: FollowRequest) {
  for (const [name, value] of Object.entries({ settleMs, timeoutMs })) {
    if (value >= 0) continue;
    throw new VtrError('INVALID_ARGUMENT', `${name} is ${value}; give at least 0`);
  }
  return {
    settleMs: Math.max(minSettleMs, settleMs),
    timeoutMs: Math.min(maxFollowMs, timeoutMs),
  };
}
