import { defined, utf8Length } from '#base';
import type { LineFormat, LineSource, NumberedText, Readable } from '../watched.ts';
import { beginsAsMarked, type Mark } from './read-mark.ts';

/** Consecutive lines, read on demand. */
export interface Stretch {
  /** The number of the first line; null if the lines have no numbers. */
  readonly fromLine: number | null;
  readonly count: number;
  /** Bytes of UTF-8 without styles, with a line feed for each line. */
  readonly bytes: number;
  /** Whether the texts have styles, so that they can be longer than {@link bytes}. */
  readonly isStyled?: boolean;
  /** Returns by how much the texts read so far exceed {@link bytes}. Absent: they do not. */
  readonly grown?: () => number;
  /**
   * Returns how many lines from index `from` up to but not including `to` could not be read, and are empty, once their
   * texts have been requested. Absent: none.
   */
  readonly unreadable?: (from: number, to: number) => number;
  /** Returns the texts from index `from` up to but not including `to`. */
  texts(from: number, to: number): readonly string[];
  /** Returns the lines from index `from` up to but not including `to`. */
  part(from: number, to: number): Stretch;
}

/**
 * Lines of a terminal, read on demand.
 *
 * @param filledTo lines before it that cannot be read are empty
 */
export function keptLines(
  session: Pick<LineSource, 'lineTexts' | 'grownBytes'> & {
    readonly terminal: Pick<LineSource['terminal'], 'textBytes'>;
  },
  from: number,
  to: number,
  format: LineFormat,
  filledTo = 0,
): Stretch {
  const missing = new Set<number>();
  const texts = (first: number, end: number) => {
    const lines: string[] = [];
    const fill = (line: number) => {
      for (let at = from + first + lines.length; at < Math.min(line, filledTo); at++) {
        missing.add(at);
        lines.push('');
      }
    };
    for (const { line, text } of session.lineTexts(from + first, from + end, format)) {
      fill(line);
      lines.push(text);
    }
    fill(Math.min(from + end, filledTo));
    return lines;
  };
  const count = Math.max(0, to - from);
  const part = (first: number, end: number) =>
    keptLines(session, from + first, from + Math.min(end, count), format, filledTo);
  // The session has the size of a line's text without reading it.
  const bytes = session.terminal.textBytes(from, to);
  const unreadable = (first: number, end: number) =>
    [...missing].filter((line) => line >= from + first && line < from + end).length;
  const all = { fromLine: from, count, bytes, texts, part, unreadable };
  if (format !== 'text') return { ...all, isStyled: true };
  const grown = session.grownBytes && (() => session.grownBytes?.(from, to) ?? 0);
  return { ...all, ...defined({ grown }) };
}

/** Lines whose texts are given. @param plain the same without styles, if they have some */
export function givenLines(
  fromLine: number | null,
  texts: readonly string[],
  plain: readonly string[] = texts,
): Stretch {
  return {
    fromLine,
    count: texts.length,
    bytes: textBytes(plain),
    ...(plain === texts ? {} : { isStyled: true }),
    texts: (from, to) => texts.slice(from, to),
    part: (from, to) => {
      const [shown, bare] = [texts.slice(from, to), plain.slice(from, to)];
      const first = fromLine === null ? null : fromLine + from;
      return givenLines(first, shown, plain === texts ? shown : bare);
    },
  };
}

function textBytes(texts: readonly string[]): number {
  return sum(texts, (text) => utf8Length(text) + 1);
}

/** Lines read at once. */
const batchLines = 64;

/** Several stretches as one text. */
export class Stretches {
  readonly #stretches: readonly Stretch[];
  readonly count: number;

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches.filter(({ count }) => count > 0);
    this.count = sum(this.#stretches, ({ count }) => count);
  }

  /** Bytes of UTF-8 without styles, with line feeds between the lines. */
  get bytes(): number {
    return Math.max(0, sum(this.#stretches, ({ bytes }) => bytes) - 1);
  }

  /** Whether the texts can be longer than {@link bytes}. */
  get isStyled(): boolean {
    return this.#stretches.some(({ isStyled = false }) => isStyled);
  }

  /** Returns the lines from index `from` up to but not including `to`. */
  part(from: number, to: number): Stretches {
    let before = 0;
    const parts: Stretch[] = [];
    for (const stretch of this.#stretches) {
      const first = Math.max(0, from - before);
      const end = Math.min(stretch.count, to - before);
      if (first < end) parts.push(stretch.part(first, end));
      before += stretch.count;
    }
    return new Stretches(parts);
  }

  /** By how much the texts read so far exceed {@link bytes}. */
  get grown(): number {
    return sum(this.#stretches, ({ grown }) => grown?.() ?? 0);
  }

  /** As {@link Stretch.unreadable}. */
  unreadable(from: number, to: number): number {
    let before = 0;
    return sum(this.#stretches, ({ count, unreadable }) => {
      const start = before;
      before += count;
      return unreadable?.(Math.max(0, from - start), Math.min(count, to - start)) ?? 0;
    });
  }

  *forward(): Generator<string> {
    for (const { count, texts } of this.#stretches) {
      for (let from = 0; from < count; from += batchLines) {
        yield* texts(from, Math.min(from + batchLines, count));
      }
    }
  }

  *backward(): Generator<string> {
    for (const { count, texts } of this.#stretches.toReversed()) {
      for (let to = count; to > 0; to -= batchLines) {
        yield* texts(Math.max(0, to - batchLines), to).toReversed();
      }
    }
  }

  /** Returns the number of the line at an index; null if it has none. */
  lineAt(index: number): number | null {
    let at = index;
    for (const { fromLine, count } of this.#stretches) {
      if (at < count) return fromLine === null ? null : fromLine + at;
      at -= count;
    }
    return null;
  }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

/**
 * Returns the lines above the screen and of the primary screen that were printed on after a mark, as
 * they are now. The marked line is included from the mark on, or whole if it was rewritten.
 *
 * @param above has the lines above the screen; default: the scrollback
 */
export function unreadLines(
  session: Readable,
  mark: Mark,
  format: LineFormat,
  above: LineSource = session,
): Stretch[] {
  const { topLine } = session.terminal;
  const first = Math.max(above.terminal.firstLine, firstUnread(session, mark));
  // Single lines that have left the screen are not tracked: all from the first are included.
  return [
    keptLines(above, first, Math.min(topLine, mark.line), format),
    ...(mark.line >= first && mark.line < topLine ? addedToLine(above, mark, format) : []),
    keptLines(above, Math.max(first, mark.line + 1), topLine, format),
    ...shownLines(session, Math.max(first, topLine), mark, format),
  ];
}

/** Returns the first line that was printed on after a mark, whether it is kept or not. */
export const firstUnread = ({ terminal }: Readable, mark: Mark): number =>
  Math.min(mark.line, terminal.rewrittenFrom(mark.revision));

/**
 * As {@link unreadLines}, line by line as text, with the index at which the new text begins.
 *
 * @param atLeast the first line to return
 */
export function* unreadParts(session: Readable, mark: Mark, atLeast = 0): Generator<UnreadPart> {
  const { firstLine, topLine, endLine } = session.terminal;
  const first = Math.max(firstLine, atLeast, firstUnread(session, mark));
  for (const read of session.lineTexts(first, endLine, 'spaced')) {
    if (read.line >= topLine && !session.terminal.printedAfter(read.line, mark.revision)) continue;
    yield unreadPart(mark, read);
  }
}

/** A line, and the index at which its new text begins. */
export interface UnreadPart extends NumberedText {
  readonly from: number;
}

/** @param read a line as text with spaces in place of tabs */
export const unreadPart = (mark: Mark, { line, text }: NumberedText): UnreadPart => ({
  line,
  text,
  from: line === mark.line ? seenLength(mark, text) : 0,
});

function addedToLine(session: LineSource, mark: Mark, format: LineFormat): Stretch[] {
  const marked = session.writtenText(mark.line);
  const start = marked === undefined ? 0 : seenLength(mark, marked);
  if (marked === undefined || marked.length <= start) return [];
  // A rendering with styles cannot be cut at an index of its text.
  if (format === 'ansi') return [keptLines(session, mark.line, mark.line + 1, format)];
  const from = session.colAfter(mark.line, start);
  return [givenLines(mark.line, [session.linePart(mark.line, { from })])];
}

/** Returns how much of the marked line had been read: 0 if the line has been rewritten since. */
function seenLength(mark: Mark, text: string): number {
  return beginsAsMarked(mark, text) ? mark.length : 0;
}

/**
 * Returns the lines on the screen that were printed on after the mark, and empty lines between
 * them.
 */
function shownLines(session: Readable, from: number, mark: Mark, format: LineFormat): Stretch[] {
  const stretches: Stretch[] = [];
  let blank: Stretch[] = [];
  for (const { line, text } of session.lineTexts(from, session.terminal.endLine, format)) {
    if (session.terminal.printedAfter(line, mark.revision)) {
      stretches.push(...blank);
      blank = [];
      if (line === mark.line) stretches.push(...addedToLine(session, mark, format));
      else stretches.push(givenLines(line, [text]));
    } else if (line > mark.line && text.trim() === '') blank.push(givenLines(line, [text]));
  }
  return stretches;
}
