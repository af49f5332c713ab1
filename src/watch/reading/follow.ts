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
        if (type !== 'output' && type !== 'exit') return;
        reading.unsettle();
        tryEnd();
      }),
      clock.schedule(timeoutMs, () => end(() => resolve(reading.answer()))),
    );
    settle();
  });
}

/** The lines on the screen above the cursor. */
interface Screen {
  readonly revision: number;
  readonly top: number;
  readonly texts: readonly string[];
  /** One past the last. */
  readonly end: number;
}

/** The lines of one call: how far they are final. */
class Reading {
  readonly #followed: Followed;
  readonly #first: number;
  /** The lines before the one asked for, as they were returned before. */
  readonly #shown: readonly string[];
  /** The lines before this one have left the screen as they were returned. */
  #from: number;
  /** The screen when it was last looked at. */
  #last: Screen;
  /** Lines on the screen up to here have not changed for a while. */
  #settled = 0;

  constructor(followed: Followed, { from, shown = [] }: FollowRequest) {
    this.#followed = followed;
    this.#first = checkLine('from', from ?? followed.lines.terminal.firstLine);
    this.#shown = shown.slice(Math.max(0, shown.length - this.#first));
    this.#from = this.#first - this.#shown.length;
    this.#last = this.#screen();
  }

  /** Whether there is a line to return, or the program has exited. */
  get hasLines(): boolean {
    if (this.#followed.session.exitStatus !== null) return true;
    const { topLine } = this.#followed.session.terminal;
    const changed = this.#firstChanged(topLine);
    this.#from = changed ?? Math.max(this.#from, Math.min(topLine, this.#first));
    return changed !== null || this.#end > this.#first || this.#firstChanged(this.#end) !== null;
  }

  /** Notes which lines of the screen have not changed since the last call. */
  sample(): void {
    const { terminal } = this.#followed.session;
    const { revision, top, texts, end } = this.#last;
    const now = this.#screen();
    const common = Math.min(end, now.end);
    let line = now.top;
    const isSame = () => line >= top && texts[line - top] === now.texts[line - now.top];
    while (line < common && isSame() && !terminal.printedAfter(line, revision)) line++;
    this.#settled = line;
    this.#last = now;
  }

  /** Notes that lines on the screen may have changed. */
  unsettle(): void {
    this.#settled = 0;
  }

  answer(): FollowResult {
    const { session, lines } = this.#followed;
    const { exitStatus, terminal } = session;
    const end = exitStatus === null ? this.#end : this.#lastEnd;
    const from = this.#firstChanged(end) ?? this.#first;
    const first = Math.max(from, lines.terminal.firstLine);
    const { text, next, unreadable } = textFrom(lines, first, end);
    const ended = exitStatus !== null && next >= end;
    return {
      text: ended ? this.#lastText(text) : text,
      nextLine: Math.max(next, from),
      lostLines: Math.max(0, first - Math.max(from, this.#first)) + unreadable,
      screenLine: terminal.topLine,
      again: from < this.#first,
      ended,
      exitStatus,
      revision: terminal.revision,
    };
  }

  get #end(): number {
    const { topLine } = this.#followed.session.terminal;
    return Math.max(topLine, this.#settled);
  }

  /** The end of all output. Empty lines that were written at its end are above the cursor only. */
  get #lastEnd(): number {
    const { session, lines } = this.#followed;
    const { alternate } = session.terminal;
    const { endLine } = lines.terminal;
    return alternate ? endLine : Math.max(endLine, session.terminal.linePosition().line);
  }

  /** Returns the first line before `end` that has changed since it was returned; null if none has. */
  #firstChanged(end: number): number | null {
    const { lines } = this.#followed;
    const begin = this.#first - this.#shown.length;
    const to = Math.min(end, this.#first);
    if (this.#from >= to) return null;
    for (const { line, text } of lines.lineTexts(this.#from, to)) {
      if (text !== this.#shown[line - begin]) return line;
    }
    return null;
  }

  #screen(): Screen {
    const { session, lines } = this.#followed;
    const { shownRevision: revision, topLine: top } = session.terminal;
    const end = session.terminal.linePosition().line;
    const texts = Array.from(lines.lineTexts(top, end), ({ text }) => text);
    return { revision, top, texts, end };
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

/** Returns lines up to the limit, at least one, and how many between them could not be read. */
function textFrom(lines: LineSource, from: number, to: number) {
  const texts: string[] = [];
  let chars = 0;
  let next = from;
  let unreadable = 0;
  while (next < to && chars < maxBytes) {
    const before = next;
    for (const { line, text } of lines.lineTexts(next, Math.min(to, next + linesAtOnce))) {
      texts.push(`${text}\n`);
      chars += text.length + 1;
      unreadable += line - next;
      next = line + 1;
    }
    if (next > before) continue;
    // The terminal does not count empty lines at the end of the output.
    const end = Math.min(to, next + linesAtOnce, lines.terminal.endLine);
    if (end <= next) break;
    unreadable += end - next;
    next = end;
  }
  for (; next < to && next >= lines.terminal.endLine && chars < maxBytes; next++, chars++)
    texts.push('\n');
  return { text: texts.join(''), next: Math.max(next, Math.min(from, to)), unreadable };
}
