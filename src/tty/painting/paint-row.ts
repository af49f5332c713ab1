import { isSameStyle, type Style } from '#model';
import type { Capabilities } from './capabilities.ts';
import { joinsBefore, type PaintedRow } from './painted-row.ts';
import { hasMarks } from './reduced-style.ts';
import type { TtyWriter } from './tty-writer.ts';

/** EL is shorter than more blanks than this. */
const blanksOfErase = 3;

/** Which cells of the row that is painted are to be written; grows with the widest row. */
let marks = new Uint8Array(0);

/** Writes what changes one row into another. */
export function paintRow(
  out: TtyWriter,
  row: number,
  before: PaintedRow,
  after: PaintedRow,
  capabilities: Capabilities,
): void {
  if (before === after) return;
  const cols = after.texts.length;
  if (marks.length < cols + 1) marks = new Uint8Array(cols + 1);
  if (!markChanges(before, after, cols)) return;
  if (after.special !== null) markNeighbours(after, cols, capabilities.graphemeClusters);
  const end = erasedFrom(after, cols, capabilities);
  let col = 0;
  while (col < end) {
    if (marks[col] === 0) col = skip(out, row, after, col, end);
    else col = write(out, row, after, col, cols, capabilities);
  }
  if (end < cols) {
    out.moveTo(row, end);
    out.setStyle(after.styles[end]);
    out.put('\x1b[K');
  }
}

/** Marks the cells that differ. Both halves of a wide character are marked together. */
function markChanges(before: PaintedRow, after: PaintedRow, cols: number): boolean {
  const { texts, styles } = after;
  let hasChanged = false;
  for (let col = 0; col < cols; col++) {
    const isSame = texts[col] === before.texts[col] && isSameStyle(styles[col], before.styles[col]);
    marks[col] = isSame ? 0 : 1;
    if (isSame) continue;
    hasChanged = true;
    if (texts[col] === '') marks[col - 1] = 1;
  }
  marks[cols] = 0;
  if (!hasChanged || after.special === null) return hasChanged;
  for (let col = 1; col < cols; col++) if (texts[col] === '') marks[col] = marks[col - 1];
  return true;
}

/**
 * Marks what a change may affect besides: the cells into which a character spills whose width is
 * uncertain, and the cell that a changed one would join.
 */
function markNeighbours(after: PaintedRow, cols: number, hasClusters: boolean): void {
  const { special, texts } = after;
  if (special === null) return;
  for (let col = 0; col < cols; col++) {
    const cell = special[col];
    if (cell === undefined || marks[col] === 0) continue;
    if (!cell.isCertain && !hasClusters) {
      const past = Math.min(cols, col + cell.width + cell.spill);
      for (let at = col; at < past; at++) marks[at] = 1;
      if (texts[past] === '') marks[past] = 1;
    }
    // Cells before them belong to them if they are joined.
    for (let at = col; at > 0 && joinsCellBefore(after, at); ) {
      at = previous(after, at);
      marks[at] = 1;
      if (texts[at + 1] === '') marks[at + 1] = 1;
    }
  }
}

function previous(row: PaintedRow, col: number): number {
  return row.texts[col - 1] === '' ? col - 2 : col - 1;
}

/** Whether the cell, if it is printed after the one before it, becomes part of that one. */
function joinsCellBefore({ special, texts }: PaintedRow, col: number): boolean {
  const cell = special?.[col];
  if (cell === undefined || col === 0) return false;
  const before = special?.[texts[col - 1] === '' ? col - 2 : col - 1];
  return before !== undefined && joinsBefore(before, cell);
}

/** Returns the column from which EL erases the row; the number of columns if it is not worth it. */
function erasedFrom(after: PaintedRow, cols: number, capabilities: Capabilities): number {
  const style = after.styles[cols - 1];
  if (!isErasable(style, capabilities)) return cols;
  let from = cols;
  let changed = 0;
  let first = cols;
  while (from > 0 && after.texts[from - 1] === ' ' && isSameStyle(after.styles[from - 1], style)) {
    from--;
    if (marks[from] === 0) continue;
    changed++;
    first = from;
  }
  return changed > blanksOfErase ? first : cols;
}

/** Whether erasing makes blank cells of this style. */
function isErasable(style: Style, { erasesWithBackground: fills }: Capabilities): boolean {
  return !hasMarks(style) && (fills || style.bg === null);
}

/** Skips the cells that are right already, or writes them again if that is shorter than a move. */
function skip(out: TtyWriter, row: number, after: PaintedRow, from: number, end: number): number {
  let to = from;
  while (to < end && marks[to] === 0) to++;
  if (to === end || !out.isAt(row, from) || to - from > maxRewritten) return to;
  if (!canRewrite(out, after, from, to)) return to;
  for (let col = from; col < to; col++) out.print(after.texts[col], 1, after.texts.length);
  return to;
}

/** CUF takes four bytes; more cells are skipped. */
const maxRewritten = 4;

function canRewrite(out: TtyWriter, after: PaintedRow, from: number, to: number): boolean {
  for (let col = from; col < to; col++) {
    if (after.texts[col] === '' || after.special?.[col] !== undefined) return false;
    if (!out.hasStyle(after.styles[col])) return false;
  }
  return true;
}

/** Writes the cell at `from`, and those that are repeated or joined. Returns the next column. */
function write(
  out: TtyWriter,
  row: number,
  after: PaintedRow,
  from: number,
  cols: number,
  capabilities: Capabilities,
): number {
  const { texts, styles, special } = after;
  const next = texts[from + 1] === '' ? from + 2 : from + 1;
  if (next < cols && joinsCellBefore(after, next)) return writeJoined(out, row, after, from, cols);
  out.moveTo(row, from);
  out.setStyle(styles[from]);
  const cell = special?.[from];
  if (cell === undefined || cell.isCertain || capabilities.graphemeClusters) {
    const repeated = texts[next] === texts[from] ? repeatsFrom(after, from, cols) : 1;
    if (repeated > 1 && writeRepeated(out, after, from, repeated, capabilities)) {
      return from + repeated;
    }
    out.print(texts[from], next - from, cols);
    return next;
  }
  // Where it is narrower than its cells, nothing old remains in them.
  if (cell.width === 2 && capabilities.erasesCells) out.put('\x1b[2X');
  out.print(texts[from], next - from, cols);
  out.forgetCol();
  return next;
}

/** The number of marked cells with the same narrow character in the same style. */
function repeatsFrom({ texts, styles, special }: PaintedRow, from: number, cols: number): number {
  const cell = special?.[from];
  if (cell !== undefined && (cell.width === 2 || cell.codePoints.length > 1)) return 1;
  let to = from + 1;
  while (
    to < cols &&
    marks[to] !== 0 &&
    texts[to] === texts[from] &&
    isSameStyle(styles[to], styles[from])
  ) {
    to++;
  }
  return to - from;
}

/** Writes equal cells by REP or ECH if that is shorter. */
function writeRepeated(
  out: TtyWriter,
  { texts, styles }: PaintedRow,
  from: number,
  count: number,
  capabilities: Capabilities,
): boolean {
  const text = texts[from];
  const bytes = text <= '~' ? 1 : text <= '\u07ff' ? 2 : 3;
  const cols = texts.length;
  const { repeats } = capabilities;
  if (repeats === 'always' || (repeats === 'ascii' && bytes === 1)) {
    const sequence = `\x1b[${count - 1}b`;
    if (sequence.length >= bytes * (count - 1)) return false;
    out.print(text + sequence, count, cols);
    return true;
  }
  const isErased = text === ' ' && isErasable(styles[from], capabilities);
  if (!isErased || !capabilities.erasesCells || count <= cellsOfErase) return false;
  out.put(`\x1b[${count}X`);
  return true;
}

/** ECH and the move after it are shorter than more blanks. */
const cellsOfErase = 10;

/**
 * Writes cells of which each would become part of the one before it: from right to left, so that each
 * is printed after a blank.
 */
function writeJoined(
  out: TtyWriter,
  row: number,
  after: PaintedRow,
  from: number,
  cols: number,
): number {
  const { texts, styles } = after;
  const starts = [from];
  let end = texts[from + 1] === '' ? from + 2 : from + 1;
  while (end < cols && joinsCellBefore(after, end)) {
    starts.push(end);
    end = texts[end + 1] === '' ? end + 2 : end + 1;
  }
  out.moveTo(row, from);
  out.setStyle(styles[from]);
  out.print(' '.repeat(end - from), end - from, cols);
  for (const col of starts.reverse()) {
    out.moveTo(row, col);
    out.setStyle(styles[col]);
    out.print(texts[col], 1, cols);
    out.forgetCol();
  }
  return end;
}
