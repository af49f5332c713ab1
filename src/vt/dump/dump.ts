import { encodeUtf8 } from '#base';
import { clusterFlag, codeMask, firstCharacter, wideFlag } from '../cells/cell.ts';
import { CellBuffer } from '../cells/cell-buffer.ts';
import { cellsText } from '../cells/cell-text.ts';
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
import { clusterOutput, emptyOutput } from './cell-output.ts';
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
 * clusters off; see {@link clusterOutput}.
 */
export const dumpStart = `${restore(restoreOperation.conformanceLevel, 5)}\x1b[?2027l`;

// A dump is output that makes a new terminal of the same size and limits equal: a head, the complete
// lines above the screen, both screens with modes and saved cursors, and the state of the parser.

/** Returns the start of a dump. DECCOLM clears the screen, so it comes first. */
export function dumpHead({ modes }: TerminalState): Uint8Array {
  return encodeUtf8(modes.wideColumns ? `${dumpStart}\x1b[?40h\x1b[?3h\x1b[?40l` : dumpStart);
}

/** Returns everything after the complete lines above the screen, except the parser's state. */
export function dumpScreens(t: TerminalState): Uint8Array {
  const parts: string[] = [];
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
  return encodeUtf8(parts.join(''));
}

/** The part of the line that is above the screen. */
function dumpOpenLine(t: TerminalState, parts: string[]): void {
  if (!t.scrollback.open) return;
  compactTables(t);
  const buffer = new CellBuffer();
  t.scrollback.readLine(t.scrollback.nextLine, buffer);
  cutIntoRows(buffer.codes, 0, buffer.length, t.cols, (start, end) => {
    dumpCells(t, buffer.codes, buffer.styles, start, end, parts);
    parts.push(restore(restoreOperation.wrap, t.cols - Math.min(t.cols, end - start)));
  });
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
    parts.push(
      kind < 0
        ? dumpText(t, codes, from, at)
        : emptyOutput(at - from, style !== defaultStyle, kind),
    );
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
    const codePoints = t.clusters.codePoints(codes[at] & codeMask);
    text += cellsText(codes, from, at, t.clusters);
    text += clusterOutput(codePoints, (codes[at] & wideFlag) !== 0 ? 2 : 1);
    from = at + 1;
  }
  return text + cellsText(codes, from, end, t.clusters);
}

/** Returns the code of a cell that looks empty, which a dump does not print; otherwise -1. */
function kindOf(code: number): number {
  return code < firstCharacter ? code : -1;
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
