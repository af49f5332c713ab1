import { encodeUtf8 } from '#base';
import { clusterFlag, codeMask, emptyCell, firstCharacter, wideFlag } from '../cells/cell.ts';
import { CellBuffer } from '../cells/cell-buffer.ts';
import { cellsText } from '../cells/cell-text.ts';
import { clusterWidth } from '../cells/graphemes.ts';
import { charWidth } from '../cells/width.ts';
import { isProtected } from '../editing/protection.ts';
import { restoreOperation } from '../functions/restoring.ts';
import type { Grid } from '../grid/grid.ts';
import { cutIntoRows, rowLength } from '../grid/wrapping.ts';
import { styleChange } from '../reading/cell-ansi.ts';
import { Charsets } from '../state/charsets.ts';
import type { SavedCursor } from '../state/cursor-state.ts';
import type { FlagStack } from '../state/keyboard.ts';
import { compactTables } from '../state/memory.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { defaultStyle } from '../style/style-word.ts';
import {
  charsetSequence,
  cursorSequence,
  dumpSettings,
  penSequence,
  protectionOf,
  restore,
} from './dump-settings.ts';

/** The tables that cells refer to. */
type CellTables = Pick<TerminalState, 'styles' | 'clusters'>;

/**
 * The level that supports all modes, until the end of a dump. Cells are dumped with grapheme
 * clusters off; see {@link dumpCluster}.
 */
export const dumpStart = `${restore(restoreOperation.conformanceLevel, 5)}\x1b[?2027l`;

/**
 * Returns output that makes a new terminal of the same size and limits equal to this one: both
 * screens, the scrollback, modes, saved cursors, and the state of the parser.
 *
 * @param from the first complete line above the screen in the dump
 * @param pending the result of {@link Parser.pending}
 */
export function dumpState(t: TerminalState, from: number, pending: Uint8Array): Uint8Array {
  const parts: string[] = [dumpStart];
  // DECCOLM clears the screen, so it comes first.
  if (t.modes.wideColumns) parts.push('\x1b[?40h\x1b[?3h\x1b[?40l');
  dumpLines(t, from, t.scrollback.nextLine, t.cols, parts);
  dumpOpenLine(t, parts);
  dumpGrid(t, t.primary, parts);
  dumpScreenSettings(t.savedPrimary, t.keyboard.primaryFlags, parts);
  if (t.alternate !== null) dumpAlternate(t, t.alternate, parts);
  dumpSettings(t, parts);
  if (t.modes.graphemeClusters) parts.push('\x1b[?2027h');
  parts.push(restore(restoreOperation.lastPrinted, t.lastPrinted));
  parts.push(restore(restoreOperation.conformanceLevel, t.modes.conformanceLevel));
  // The visible frame is not part of the dump.
  if (t.modes.synchronizedOutput) parts.push('\x1b[?2026h');
  const text = encodeUtf8(parts.join(''));
  const bytes = new Uint8Array(text.length + pending.length);
  bytes.set(text);
  bytes.set(pending, text.length);
  return bytes;
}

/**
 * Prints complete lines above the screen, in order, for a terminal of `cols` columns. The output
 * after them scrolls them off the screen.
 */
export function dumpLines(
  t: TerminalState,
  from: number,
  to: number,
  cols: number,
  parts: string[],
): void {
  for (let line = from; line < to; line++) {
    dumpLine(t, line, cols, parts);
    parts.push('\r\n');
  }
}

function dumpOpenLine(t: TerminalState, parts: string[]): void {
  if (!t.scrollback.open) return;
  const lastLength = dumpLine(t, t.scrollback.nextLine, t.cols, parts);
  parts.push(restore(restoreOperation.wrap, t.cols - lastLength));
}

/** Returns the number of cells in the last row of the line. */
function dumpLine(t: TerminalState, line: number, cols: number, parts: string[]): number {
  compactTables(t);
  const buffer = new CellBuffer();
  t.scrollback.readLine(line, buffer);
  let lastLength = 0;
  cutIntoRows(buffer.codes, 0, buffer.length, cols, (start, end) => {
    if (start > 0) parts.push(restore(restoreOperation.wrap, cols - lastLength));
    lastLength = Math.min(cols, end - start);
    dumpCells(t, buffer.codes, buffer.styles, start, end, parts);
  });
  return lastLength;
}

export function dumpGrid(t: CellTables, grid: Grid, parts: string[]): void {
  for (let row = 0; row < grid.rows; row++) {
    const start = grid.start(row);
    const length = rowLength(grid, row);
    dumpCells(t, grid.codes, grid.styles, start, start + length, parts);
    if (row === grid.rows - 1) break;
    parts.push(grid.wraps(row) ? restore(restoreOperation.wrap, grid.cols - length) : '\r\n');
  }
}

/**
 * Appends cells of one row, beginning at its first column. Begins and ends in the default style.
 */
function dumpCells(
  t: CellTables,
  codes: Int32Array,
  styles: Int32Array,
  start: number,
  end: number,
  parts: string[],
): void {
  let style: number = defaultStyle;
  for (let at = start; at < end; ) {
    const from = at;
    const kind = kindOf(codes[at]);
    const next = styles[at];
    do at++;
    while (at < end && styles[at] === next && kindOf(codes[at]) === kind);
    if (next !== style) parts.push(change(t, style, next));
    style = next;
    parts.push(kind < 0 ? dumpText(t, codes, from, at) : emptyCells(at - from, style, kind));
  }
  if (style !== defaultStyle) parts.push(change(t, style, defaultStyle));
}

function change(t: CellTables, from: number, to: number): string {
  const isSame = isProtected(t, from) === isProtected(t, to);
  return styleChange(from, to, t.styles) + (isSame ? '' : protectionOf(t.styles.attributes(to)));
}

/** Returns the text of cells that are not empty and have one style. */
function dumpText(t: CellTables, codes: Int32Array, start: number, end: number): string {
  let text = '';
  let from = start;
  for (let at = start; at < end; at++) {
    if ((codes[at] & clusterFlag) === 0) continue;
    text += cellsText(codes, from, at, t.clusters) + dumpCluster(t, codes[at]);
    from = at + 1;
  }
  return text + cellsText(codes, from, end, t.clusters);
}

/**
 * Cells are dumped with mode 2027 off: the first character determines the width, and characters
 * without a width join it. A cluster that only forms in mode 2027 is printed in that mode, except
 * its first character, which must not join the cell before it.
 */
function dumpCluster(t: CellTables, code: number): string {
  const text = t.clusters.text(code & codeMask);
  const [first, ...rest] = t.clusters.codePoints(code & codeMask);
  const width = (code & wideFlag) !== 0 ? 2 : 1;
  const own = Math.max(1, charWidth(first));
  if (own === width && rest.every((point) => charWidth(point) === 0)) return text;
  const isPrinted =
    rest.length > 0 &&
    charWidth(first) > 0 &&
    width >= own &&
    clusterWidth([first, ...rest], own) === width;
  if (!isPrinted) return restore(restoreOperation.cluster, width, first, ...rest);
  return `${String.fromCodePoint(first)}\x1b[?2027h${String.fromCodePoint(...rest)}\x1b[?2027l`;
}

/** Returns the code of a cell that looks empty, which a dump does not print; otherwise -1. */
function kindOf(code: number): number {
  return code < firstCharacter ? code : -1;
}

/** Moves over cells that look empty, and erases them if they have a background. */
function emptyCells(count: number, style: number, code: number): string {
  const erased = style === defaultStyle ? '' : `\x1b[${count}X`;
  const tab = code === emptyCell ? '' : restore(restoreOperation.tab, code, count);
  return `${erased}${tab}\x1b[${count}C`;
}

function dumpAlternate(t: TerminalState, alternate: Grid, parts: string[]): void {
  parts.push('\x1b[?47h\x1b[H');
  dumpGrid(t, alternate, parts);
  dumpScreenSettings(t.savedAlternate, t.keyboard.alternateFlags, parts);
  if (!t.onAlternate) parts.push('\x1b[?47l');
}

/** Appends the settings that each screen has separately. */
function dumpScreenSettings(saved: SavedCursor, flags: FlagStack, parts: string[]): void {
  const [first, ...others] = flags.entries;
  if (first !== 0) parts.push(`\x1b[=${first}u`);
  for (const entry of others) parts.push(`\x1b[>${entry}u`);

  // No margins are set yet. The wrap may be pending at a former right margin, so set one for it.
  const { col, wrapPending } = saved.cursor;
  if (wrapPending) parts.push(`\x1b[?69h\x1b[;${col + 1}s`);
  if (saved.origin) parts.push('\x1b[?6h');
  parts.push(
    cursorSequence(saved.cursor, 0, 0),
    penSequence(saved.pen),
    charsetSequence(saved.charsets),
    '\x1b7',
  );
  if (wrapPending) parts.push('\x1b[?69l');
  // Back to the state of a new terminal, for the next part of the dump.
  if (saved.origin) parts.push('\x1b[?6l');
  parts.push('\x1b[m', protectionOf(0), charsetSequence(new Charsets()));
}
