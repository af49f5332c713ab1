import { utf8Length } from '#base';
import type { LineFormat, LineSource } from '../watched.ts';

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
  return { ...all, ...(grown && { grown }) };
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
