import type { Clock, Disposable } from '#base';
import { checkLine, type FollowRequest, type FollowResult, followTimes, VtrError } from '#model';
import type { LineSource, Watched } from '../watched.ts';

/** The most text of one answer, in bytes of UTF-8, but for its last line. */
const maxBytes = 256 * 1024;
/** Lines that are read at once. */
const linesAtOnce = 64;

/** What a follower reads: the session, and its lines as the answer shows them. */
export interface Followed {
  readonly session: Watched;
  readonly lines: LineSource;
  /** The rows of the alternate screen, as the answer shows them. */
  readonly screenRows: () => readonly string[];
}

/**
 * Returns the next lines of the output, at once if there are any.
 *
 * @throws VtrError INVALID_ARGUMENT, CANCELLED
 */
export function follow(
  followed: Followed,
  request: FollowRequest,
  clock: Clock,
): Promise<FollowResult> {
  const { timeoutMs, settleMs } = followTimes(request);
  const reading = new Reading(followed, request);
  return new Promise((resolve, reject) => {
    const parts: Disposable[] = [];
    const end = (settle: () => void) => {
      for (const part of parts.splice(0)) part.dispose();
      request.signal?.removeEventListener('abort', cancel);
      settle();
    };
    const cancel = () =>
      end(() =>
        reject(new VtrError('CANCELLED', 'the call was cancelled; the program is not affected')),
      );
    const tryEnd = () => {
      if (reading.hasLines) end(() => resolve(reading.answer()));
    };
    if (request.signal?.aborted) {
      cancel();
      return;
    }
    request.signal?.addEventListener('abort', cancel);
    if (reading.hasLines || timeoutMs === 0) {
      end(() => resolve(reading.answer()));
      return;
    }
    const { session } = followed;
    const settle = () => {
      parts.push(
        clock.schedule(settleMs, () => {
          reading.sample();
          if (reading.hasLines) tryEnd();
          else settle();
        }),
      );
    };
    parts.push(
      session.onEvent(({ type }) => {
        if (type === 'output' || type === 'exit') tryEnd();
      }),
      clock.schedule(timeoutMs, () => end(() => resolve(reading.answer()))),
    );
    settle();
  });
}

/** The lines of one call: how far they are final. */
class Reading {
  readonly #followed: Followed;
  readonly #asked: number;
  readonly #from: number;
  /** The state when the lines were last looked at. */
  #seen: { readonly revision: number; readonly line: number };
  /** Lines on the screen up to here have not changed for a while. */
  #settled = 0;

  constructor(followed: Followed, { from, revision }: FollowRequest) {
    this.#followed = followed;
    const { terminal } = followed.session;
    this.#asked = checkLine('from', from ?? followed.lines.terminal.firstLine);
    const rewritten = revision === undefined ? Infinity : terminal.rewrittenFrom(revision);
    this.#from = Math.min(this.#asked, rewritten);
    this.#seen = this.#now();
  }

  /** Whether there is a line to return, or the program has exited. */
  get hasLines(): boolean {
    return this.#followed.session.exitStatus !== null || this.#end > this.#from;
  }

  /** Notes which lines of the screen have not changed since the last call. */
  sample(): void {
    const { terminal } = this.#followed.session;
    const { revision, line } = this.#seen;
    const now = this.#now();
    const end = Math.min(line, now.line);
    let settled = Math.max(this.#from, terminal.topLine);
    while (settled < end && !terminal.printedAfter(settled, revision)) settled++;
    this.#settled = settled;
    this.#seen = now;
  }

  answer(): FollowResult {
    const { session, lines } = this.#followed;
    const { exitStatus, terminal } = session;
    const first = Math.max(this.#from, lines.terminal.firstLine);
    const end = exitStatus === null ? this.#end : lines.terminal.endLine;
    const { text, next } = textFrom(lines, first, end);
    const ended = exitStatus !== null && next >= end;
    return {
      text: ended ? this.#lastText(text) : text,
      nextLine: Math.max(next, this.#from),
      lostLines: first - this.#from,
      again: this.#from < this.#asked,
      ended,
      exitStatus,
      revision: terminal.revision,
    };
  }

  get #end(): number {
    const { topLine } = this.#followed.session.terminal;
    return Math.max(topLine, this.#settled);
  }

  #now() {
    const { terminal } = this.#followed.session;
    return { revision: terminal.shownRevision, line: terminal.linePosition().line };
  }

  /** Adds the alternate screen; removes the last line feed if the program wrote none. */
  #lastText(text: string): string {
    const { terminal } = this.#followed.session;
    if (!terminal.alternate) {
      const { line, before } = terminal.linePosition();
      const isOpen = before !== '' && line + 1 >= this.#followed.lines.terminal.endLine;
      return isOpen && text.endsWith('\n') ? text.slice(0, -1) : text;
    }
    const rows = this.#followed.screenRows();
    const shown = rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
    const lineEnd = this.#followed.session.textBeforeCursor() === '' ? '\n' : '';
    return text + shown.join('\n') + lineEnd;
  }
}

/** Returns lines up to the limit; at least one. */
function textFrom(lines: LineSource, from: number, to: number) {
  const texts: string[] = [];
  let chars = 0;
  let next = from;
  while (next < to && chars < maxBytes) {
    const before = next;
    for (const { line, text } of lines.lineTexts(next, Math.min(to, next + linesAtOnce))) {
      texts.push(`${text}\n`);
      chars += text.length + 1;
      next = line + 1;
    }
    if (next === before) break;
  }
  return { text: texts.join(''), next: Math.max(next, Math.min(from, to)) };
}
