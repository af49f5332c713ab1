import { CellBuffer, firstCharacter, spacerHead } from '../cells/cell.ts';
import { isProtected } from '../editing/erasing.ts';
import { lastPrinted } from '../editing/printing.ts';
import type { Grid } from '../grid/grid.ts';
import { cellObjects } from '../reading/cell-objects.ts';
import type { Charsets } from '../state/charsets.ts';
import type { SavedCursor } from '../state/cursor-state.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import type { Pen } from '../style/pen.ts';
import { type Inside, inside } from '../terminal.ts';

/**
 * Returns the whole state as plain values. Two terminals are equal if these are equal. For tests
 * and bug reports; slow.
 */
export function inspect(terminal: Inside): Record<string, unknown> {
  const { state: t, parser } = terminal[inside];
  return {
    size: [t.cols, t.rows],
    scrollback: inspectScrollback(t),
    primary: inspectGrid(t, t.primary),
    // An alternate screen that was never switched to is empty.
    alternate: inspectGrid(t, t.alternate),
    onAlternate: t.onAlternate,
    primaryCursor: t.onAlternate ? [t.primaryCursor.row, t.primaryCursor.col] : null,
    cursor: { ...t.cursor },
    savedPrimary: inspectSaved(t.savedPrimary),
    savedAlternate: inspectSaved(t.savedAlternate),
    pen: inspectPen(t.pen),
    link: t.links.get(t.pen.link),
    charsets: inspectCharsets(t.charsets),
    modes: { ...t.modes, storedOnly: sorted(t.modes.storedOnly) },
    savedModes: sorted(t.savedModes),
    modesAtCommand: t.modesAtCommand,
    stoppedModes: t.stoppedModes,
    savedPens: t.savedPens.entries.map(({ pen, requested }) => [inspectPen(pen), requested]),
    savedColors: inspectSavedColors(t),
    colors: sorted(t.palette.changed),
    // The place of a report in the output is not kept.
    reports: {
      ...t.reports,
      statuses: t.reports.statuses.all.map(({ offset: _, ...each }) => each),
    },
    eightBit: t.replies.eightBit,
    keyboard: {
      modifyOtherKeys: t.keyboard.modifyOtherKeys,
      formatOtherKeys: t.keyboard.formatOtherKeys,
      primaryFlags: [...t.keyboard.primaryFlags.entries],
      alternateFlags: [...t.keyboard.alternateFlags.entries],
    },
    tabs: Array.from({ length: t.cols }, (_, col) => t.tabs.isSet(col)),
    titles: [t.titles.window, t.titles.icon, ...t.titles.stack],
    margins: [t.marginTop, t.marginBottom, t.marginLeft, t.marginRight],
    lastPrinted: lastPrinted(t),
    pending: [...parser.pending()],
  };
}

/** The state of a terminal. It must not be changed. */
export function stateOf(terminal: Inside): TerminalState {
  return terminal[inside].state;
}

/** Makes the result independent of the order in which values were added. */
function sorted(values: Iterable<unknown>): unknown[] {
  return [...values].map((value) => JSON.stringify(value)).sort();
}

function inspectScrollback(t: TerminalState): unknown {
  const { scrollback } = t;
  const lines: unknown[] = [];
  const last = scrollback.open ? scrollback.nextLine : scrollback.nextLine - 1;
  for (let line = scrollback.firstLine; line <= last; line++) {
    const buffer = new CellBuffer();
    scrollback.readLine(line, buffer);
    lines.push([line, ...inspectCells(t, buffer.codes, buffer.styles, 0, buffer.length)]);
  }
  return {
    lines,
    open: scrollback.open,
    openCells: scrollback.openCells,
    next: scrollback.nextLine,
  };
}

function inspectGrid(t: TerminalState, grid: Grid | null): unknown {
  return Array.from({ length: t.rows }, (_, row) => {
    if (grid === null || (grid.usedCols(row) === 0 && !grid.wraps(row))) return null;
    const start = grid.start(row);
    const cells = inspectCells(t, grid.codes, grid.styles, start, start + grid.usedCols(row));
    return [grid.wraps(row), ...cells];
  });
}

function inspectCells(
  t: TerminalState,
  codes: Int32Array,
  styles: Int32Array,
  start: number,
  end: number,
): unknown[] {
  return cellObjects(codes, styles, start, end, t.styles, t.clusters).map((cell, index) => {
    const code = codes[start + index];
    const text = code < firstCharacter ? code : code === spacerHead ? 'spacer' : cell.text;
    const style = styles[start + index];
    return [text, cell.width, cell.style, isProtected(t, style), t.styles.link(style)];
  });
}

function inspectSaved({ cursor, pen, charsets, origin }: SavedCursor): unknown {
  const described = { pen: inspectPen(pen), charsets: inspectCharsets(charsets) };
  return { ...described, cursor: { ...cursor }, origin };
}

function inspectSavedColors({ savedColors }: TerminalState): unknown {
  const slots = Array.from({ length: savedColors.size }, (_, slot) => savedColors.at(slot));
  return [savedColors.depth, ...slots.map((slot) => (slot === undefined ? null : sorted(slot)))];
}

function inspectPen({ fg, bg, underlineColor, attributes }: Pen): unknown {
  return { fg, bg, underlineColor, attributes };
}

function inspectCharsets(charsets: Charsets): unknown {
  const designated = [0, 1, 2, 3].map((set) => charsets.designated(set));
  const { locked, lockedRight, single } = charsets;
  return { designated, locked, lockedRight, single };
}
