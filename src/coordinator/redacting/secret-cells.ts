import {
  findSecrets,
  keyWords,
  looksLikeKey,
  maxKeyLines,
  type SecretRule,
  type SecretSpan,
} from '#recording';
import type { SessionView } from '#session';

type Terminal = SessionView['terminal'];
/** The lines of a terminal. Those of several terminals have no size. */
export type TerminalWithLines = Pick<
  Terminal,
  'firstLine' | 'endLine' | 'readLines' | 'scanLines'
> & { readonly size?: Terminal['size'] };
/** A terminal with a screen. */
export type TerminalWithScreen = TerminalWithLines &
  Pick<Terminal, 'alternate' | 'cursor' | 'readRow' | 'size' | 'topLine' | 'wrapsAt'>;

export type Reader = ReturnType<Terminal['readRow']>;
type Cover = Parameters<Reader['covered']>[0][number];

export interface ReadLine {
  readonly line: number;
  readonly reader: Reader;
  /** Set if a part of the line is covered: the line as it was written. */
  readonly written?: Reader;
}

export interface SecretCellsParts {
  readonly rules: readonly SecretRule[];
  readonly marks: Marks;
  /** Whether the session has printed the border of a private key. */
  readonly hasShownKey: () => boolean;
  /** Learns the secrets that the session has shown until now. */
  readonly learn: () => void;
  /** The width of terminals without a size. */
  readonly columns: () => number;
}

/** Lines that are searched at once. */
const linesAtOnce = 4096;
/** How many full lines before and after those requested are read: a secret may begin or go on there. */
const fullLines = 16;
/** Lines that are read further where a key may continue whose border is not there. */
const moreLines = 128;

/**
 * Reads the lines and rows of terminals with marks in place of the cells of secrets. Secrets are found in
 * whole lines, before anything is cut; in rows, also where a row is full and the next one goes on.
 */
export class SecretCells {
  readonly #parts: SecretCellsParts;

  constructor(parts: SecretCellsParts) {
    this.#parts = parts;
  }

  /**
   * Yields the existing lines from `from` up to but excluding `to`. A reader is valid until the next one.
   *
   * @param openLine the line in which output continues, whose end may be the beginning of a secret
   */
  *lines(
    terminal: TerminalWithLines,
    from: number,
    to: number,
    openLine: number | null,
  ): Generator<ReadLine> {
    const end = Math.min(to, terminal.endLine);
    for (let at = Math.max(from, terminal.firstLine); at < end; at += linesAtOnce) {
      yield* this.#someLines(terminal, at, Math.min(end, at + linesAtOnce), openLine);
    }
  }

  *#someLines(
    terminal: TerminalWithLines,
    from: number,
    to: number,
    openLine: number | null,
  ): Generator<ReadLine> {
    const cols = terminal.size?.cols ?? this.#parts.columns();
    const reads = linesAround(terminal, from, to, cols);
    const open = reads.findIndex(({ line }) => line === openLine);
    const texts = reads.map(({ text }) => text);
    const parts = reads.map(({ reader, text }) => new Part(reader, text));
    cover(parts, 0, 1, this.#coded(this.#find(texts, open)));
    const goesOn = (index: number) => isFull(parts[index] as Part, cols);
    for (const { parts: cut, spans } of this.#acrossEnds(parts, goesOn, () => false, open)) {
      cover(cut, 0, 0, spans);
    }
    for (const [index, { line, reader }] of reads.entries()) {
      if (line < from || line >= to) continue;
      const part = parts[index] as Part;
      yield part.isCovered ? { line, reader: part.covered, written: reader } : { line, reader };
    }
  }

  /** Returns the rows of the shown screen. @param isOpen whether output may continue at the cursor */
  rows(terminal: TerminalWithScreen, isOpen: boolean): readonly Reader[] {
    const { alternate, cursor, size } = terminal;
    const rows = Array.from({ length: size.rows }, (_, row) => {
      const reader = terminal.readRow(row);
      return new Part(reader, reader.spaced());
    });
    const groups = groupsOf(rows, (row) => terminal.wrapsAt(row));
    const above = alternate ? [] : textsAbove(terminal);
    const lines = groups.map(({ text }) => text);
    const beginning = alternate ? '' : beginningOf(terminal, lines[0] as string);
    const openLine = groups.findIndex(({ from, to }) => cursor.row >= from && cursor.row < to);
    const texts = [...above, ...lines.with(0, beginning + lines[0])];
    const codedSpans = this.#coded(this.#find(texts, isOpen ? above.length + openLine : -1));
    let place = above.reduce((sum, { length }) => sum + length + 1, 0) + beginning.length;
    for (const { from, to, text } of groups) {
      cover(rows.slice(from, to), place, 0, codedSpans);
      place += text.length + 1;
    }
    const wraps = rows.map((_, row) => terminal.wrapsAt(row));
    const goesOn = (row: number) => wraps[row] || isFull(rows[row] as Part, size.cols);
    const open = isOpen ? cursor.row : -1;
    const across = this.#acrossEnds(rows, goesOn, (row) => wraps[row] === true, open);
    for (const { parts, spans } of across) cover(parts, 0, 0, spans);
    // What was above the screen is not known.
    if (alternate) this.#coverEnd(rows[0] as Part);
    return rows.map((row) => (row.isCovered ? row.covered : row.reader));
  }

  #coverEnd(top: Part): void {
    const to = Math.max(0, ...this.#parts.rules.map((rule) => rule.ended?.(top.text) ?? 0));
    if (to > 0) top.add(0, to, this.#parts.marks.next());
  }

  /**
   * Finds secrets that programs break themselves at the last column, in rows or in lines.
   *
   * @param wraps whether the terminal wrapped the text there, so that its secrets are found already
   * @param open where output continues; -1 if it does not
   */
  *#acrossEnds(
    all: readonly Part[],
    goesOn: (index: number) => boolean,
    wraps: (index: number) => boolean,
    open: number,
  ): Generator<{ readonly parts: readonly Part[]; readonly spans: readonly CodedSpan[] }> {
    for (const { from, to, text } of groupsOf(all, goesOn)) {
      const parts = all.slice(from, to);
      const seams: number[] = [];
      let at = 0;
      for (const [index, part] of parts.entries()) {
        at += part.text.length;
        if (!wraps(from + index)) seams.push(at);
      }
      if (seams.length < 2) continue;
      const spans = this.#find([text], open === to - 1 ? 0 : -1).filter((span) =>
        seams.some((seam) => span.from < seam && span.to > seam),
      );
      yield { parts, spans: this.#coded(spans) };
    }
  }

  /** @param open the index of the line in which output continues; -1 if there is none */
  #find(lines: readonly string[], open: number): readonly SecretSpan[] {
    this.#parts.learn();
    const spans = findSecrets(lines.join('\n'), this.#parts.rules, this.#parts.hasShownKey);
    const line = lines[open];
    if (line === undefined) return spans;
    const begun = this.#parts.rules.map((rule) => rule.begun?.(line) ?? -1).filter((at) => at >= 0);
    if (begun.length === 0) return spans;
    const place = lines.slice(0, open).reduce((sum, { length }) => sum + length + 1, 0);
    const from = place + Math.min(...begun);
    const to = place + line.length;
    // One that was found there is a part of it.
    const others = spans.filter((span) => span.to <= from || span.from >= to);
    const secret = 1 + spans.reduce((last, span) => Math.max(last, span.secret), -1);
    return [...others, { from, to, secret }].sort((a, b) => a.from - b.from);
  }

  #coded(spans: readonly SecretSpan[]): readonly CodedSpan[] {
    const codes = new Map<number, number>();
    return spans.map(({ from, to, secret }) => {
      const code = codes.get(secret) ?? this.#parts.marks.next();
      codes.set(secret, code);
      return { from, to, code };
    });
  }
}

interface CodedSpan {
  readonly from: number;
  readonly to: number;
  readonly code: number;
}

/** A row or a line, and what is covered in it. */
class Part {
  readonly reader: Reader;
  readonly text: string;
  readonly #covers: Cover[] = [];

  constructor(reader: Reader, text: string) {
    this.reader = reader;
    this.text = text;
  }

  get isCovered(): boolean {
    return this.#covers.length > 0;
  }

  get covered(): Reader {
    return this.reader.covered(this.#covers);
  }

  /** Covers the characters from index `from` up to but excluding `to`, except blanks. */
  add(from: number, to: number, code: number): void {
    for (const { index, 0: word } of this.text.slice(from, to).matchAll(/\S+/g)) {
      const first = this.reader.colAfter(from + index);
      const end = this.reader.colAfter(from + index + word.length);
      this.#covers.push({ from: first, to: end, code });
    }
  }
}

/**
 * Covers spans of a text in its parts.
 *
 * @param place of the first part in the text
 * @param gap the characters between two parts
 */
function cover(
  parts: readonly Part[],
  place: number,
  gap: number,
  spans: readonly CodedSpan[],
): void {
  let at = place;
  let first = 0;
  for (const part of parts) {
    const end = at + part.text.length;
    while (first < spans.length && (spans[first] as CodedSpan).to <= at) first++;
    for (let index = first; index < spans.length; index++) {
      const { from, to, code } = spans[index] as CodedSpan;
      if (from >= end) break;
      part.add(Math.max(from, at) - at, Math.min(to, end) - at, code);
    }
    at = end + gap;
  }
}

interface Group {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Whether a row, or the last row of a line, has text in its last column. */
const isFull = ({ reader, text }: Pick<Part, 'reader' | 'text'>, cols: number): boolean =>
  text.length * 2 >= cols && /\S$/.test(text) && reader.colAfter(text.length) % cols === 0;

/** Returns the rows that belong together. @param goesOn whether a row goes on in the next one */
function groupsOf(rows: readonly Part[], goesOn: (row: number) => boolean): readonly Group[] {
  const groups: Group[] = [];
  let from = 0;
  for (let to = 1; to <= rows.length; to++) {
    if (to < rows.length && goesOn(to - 1)) continue;
    const text = rows.slice(from, to).map((row) => row.text);
    groups.push({ from, to, text: text.join('') });
    from = to;
  }
  return groups;
}

/** Returns the lines above the screen from which on a private key may continue on it. */
const textsAbove = (terminal: TerminalWithScreen): readonly string[] =>
  linesOf(terminal, keyBefore(terminal, terminal.topLine), terminal.topLine).map(
    ({ text }) => text,
  );

/** Returns the part of the topmost line of the screen that is above it. */
function beginningOf(terminal: TerminalWithScreen, onScreen: string): string {
  const { topLine } = terminal;
  const [top] = terminal.readLines(topLine, topLine + 1);
  const whole = top?.reader.spaced() ?? '';
  return whole.endsWith(onScreen) ? whole.slice(0, whole.length - onScreen.length) : '';
}

interface LineText {
  readonly line: number;
  readonly reader: Reader;
  readonly text: string;
}

/** Reads lines, with those around them that belong to the same private key, or from which a secret may go on. */
function linesAround(
  terminal: TerminalWithLines,
  from: number,
  to: number,
  cols: number,
): readonly LineText[] {
  const goesOn = (read: LineText | undefined) => read !== undefined && isFull(read, cols);
  const reads = linesOf(terminal, keyBefore(terminal, from), to + 1);
  if ((reads[0]?.line ?? from) === from && goesOn(linesOf(terminal, from - 1, from)[0])) {
    const before = linesOf(terminal, from - fullLines, from);
    reads.unshift(...before.slice(before.findLastIndex((read) => !goesOn(read)) + 1));
  }
  while (reads.length > 0 && looksLikeKey((reads.at(-1) as LineText).text)) {
    const end = (reads.at(-1) as LineText).line + 1;
    const more = linesOf(terminal, end, end + moreLines);
    reads.push(...more);
    if (more.length < moreLines || end > to + maxKeyLines) break;
  }
  if (goesOn(reads.at(-1))) {
    const end = (reads.at(-1) as LineText).line + 1;
    const after = linesOf(terminal, end, end + fullLines);
    reads.push(...after.slice(0, after.findIndex((read) => !goesOn(read)) + 1 || after.length));
  }
  return reads;
}

function linesOf(terminal: TerminalWithLines, from: number, to: number): LineText[] {
  return Array.from(terminal.readLines(from, to), ({ line, reader }) => ({
    line,
    reader,
    text: reader.spaced(),
  }));
}

/** Returns the first line before `from` that may be a border of a private key; else `from`. */
function keyBefore(terminal: TerminalWithLines, from: number): number {
  let line = Math.max(terminal.firstLine, from - maxKeyLines);
  while (line < from) {
    const scan = terminal.scanLines(line, from, findKeyWords);
    if (scan.mayMatch) return Math.min(scan.line, from);
    if (scan.line <= line) break;
    line = scan.line;
  }
  return from;
}

function findKeyWords(bytes: Uint8Array, start: number, end: number): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).indexOf(keyWords);
  return at < 0 ? -1 : start + at;
}

/**
 * Code points that take the place of the cells of secrets until an answer is complete: noncharacters, which
 * text is not to contain (Unicode, 23.7), of the same length as the mask in UTF-8 and in UTF-16. Secrets
 * next to each other get different ones, so that they can be counted.
 */
const firstMark = 0xfdd0;
const markCount = 32;

const marks = /[\ufdd0-\ufdef]/g;

/** Whether a text has marks. */
export const hasMarks = (text: string): boolean => text.search(marks) >= 0;

/** Hands out the marks of an answer, and counts them in it. */
export class Marks {
  #count = 0;
  #last = '';
  /** How many secrets the answer shows as replaced. */
  count = 0;

  /** Returns the code point for the next secret. */
  next(): number {
    this.#count++;
    return firstMark + (this.#count % markCount);
  }

  /** Calls `use`, in which nothing is counted. */
  uncounted<T>(use: () => T): T {
    const { count } = this;
    const result = use();
    this.count = count;
    return result;
  }

  /** Counts the secrets in a part of the answer, and replaces their marks with the mask. */
  masked(text: string, mask: string): string {
    return text.replace(marks, (mark) => {
      if (mark !== this.#last) this.count++;
      this.#last = mark;
      return mask;
    });
  }
}

/** Returns a text with marks in place of the characters of a span, except blanks and other marks. */
export function withMark(text: string, from: number, to: number, code: number): string {
  const mark = String.fromCodePoint(code);
  const hidden = text.slice(from, to).replace(/[^\s\ufdd0-\ufdef]/gu, mark);
  return text.slice(0, from) + hidden + text.slice(to);
}
