import { encodeUtf8 } from '#base';
import { lastPrinted } from '../editing/printing.ts';
import { restoreOperation } from '../functions/restoring.ts';
import type { Grid } from '../grid/grid.ts';
import { rowLength } from '../grid/wrapping.ts';
import { Charsets } from '../state/charsets.ts';
import type { SavedCursor } from '../state/cursor-state.ts';
import type { FlagStack } from '../state/keyboard.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import {
  charsetSequence,
  cursorSequence,
  dumpSettings,
  penSequence,
  protectionOf,
  restore,
} from './dump-settings.ts';
import type { DumpWriter } from './dump-writer.ts';

/**
 * The level that supports all modes, until the end of a dump. Cells are dumped with grapheme
 * clusters off; see `clusterOutput`.
 */
export const dumpStart = `${restore(restoreOperation.conformanceLevel, 5)}\x1b[?2027l`;

// A dump is output that makes a new terminal of the same size and limits equal: a head, the complete
// lines above the screen, both screens with modes and saved cursors, and the state of the parser.

/** Returns the start of a dump. DECCOLM clears the screen, so it comes first. */
export function dumpHead({ modes }: TerminalState): Uint8Array {
  return encodeUtf8(modes.wideColumns ? `${dumpStart}\x1b[?40h\x1b[?3h\x1b[?40l` : dumpStart);
}

/** More than the head has. */
export const maxHeadBytes = 64;

/** Writes everything after the complete lines above the screen, except the parser's state. */
export function dumpScreens(t: TerminalState, into: DumpWriter): void {
  if (t.scrollback.open) into.openLine(t.scrollback.nextLine);
  dumpGrid(t.primary, into);
  into.put(screenSettings(t.savedPrimary, t.keyboard.primaryFlags));
  if (t.alternate !== null) {
    if (t.onAlternate) into.put(cursorSequence(t.primaryCursor, 0, 0));
    into.put(alternateStart);
    dumpGrid(t.alternate, into);
    into.put(screenSettings(t.savedAlternate, t.keyboard.alternateFlags));
    if (!t.onAlternate) into.put('\x1b[?47l');
  }
  const parts: string[] = [];
  dumpSettings(t, parts);
  if (t.modes.graphemeClusters) parts.push('\x1b[?2027h');
  parts.push(restore(restoreOperation.lastPrinted, ...lastPrinted(t)));
  parts.push(restore(restoreOperation.conformanceLevel, t.modes.conformanceLevel));
  // The visible frame is not part of the dump.
  if (t.modes.synchronizedOutput) parts.push('\x1b[?2026h');
  into.put(parts.join(''));
}

/** Draws a screen. */
export function dumpGrid(grid: Grid, into: DumpWriter): void {
  for (let row = 0; row < grid.rows; row++) {
    const length = rowLength(grid, row);
    if (length > 0) {
      const start = grid.start(row);
      into.row(grid.codes, grid.styles, start, start + length);
    }
    if (row === grid.rows - 1) break;
    if (grid.wraps(row)) into.wrap(grid.cols - length);
    else into.newLine();
  }
}

/** Begins to draw the alternate screen. */
export const alternateStart = '\x1b[?47h\x1b[H';

/** Returns the settings that each screen has separately. */
function screenSettings(saved: SavedCursor, flags: FlagStack): string {
  const parts: string[] = [];
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
  return parts.join('');
}
