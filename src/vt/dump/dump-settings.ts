import type { ScreenPlace } from '#model';
import { emptyCell } from '../cells/cell.ts';
import { clusterWidth } from '../cells/graphemes.ts';
import { charWidth } from '../cells/width.ts';
import { isFullWidth } from '../editing/movement.ts';
import { lastPrinted } from '../editing/printing.ts';
import { designation } from '../functions/charsets.ts';
import { formatSequence, modifiersSequence } from '../functions/keyboard.ts';
import { ansiModes, decModes } from '../functions/mode-table.ts';
import { settingSequence } from '../functions/reports.ts';
import { protections, restoreOperation } from '../functions/saving.ts';
import type { Charsets } from '../state/charsets.ts';
import { type CursorState, TabStops } from '../state/cursor-state.ts';
import { dumpReports } from '../state/program-reports.ts';
import { TerminalState } from '../state/terminal-state.ts';
import { protectedCell } from '../style/attributes.ts';
import { colorReport } from '../style/color.ts';
import { linkSequence, noLink } from '../style/link-table.ts';
import { firstDynamic, paletteSize } from '../style/palette.ts';
import type { Pen } from '../style/pen.ts';
import { sgrOf } from '../style/sgr-text.ts';

/**
 * Appends everything except cells to a dump; the cursor and the settings that depend on it come
 * last.
 */
export function dumpSettings(t: TerminalState, parts: string[]): void {
  dumpTabs(t, parts);
  dumpTitles(t, parts);
  dumpModes(t, parts);
  dumpSaved(t, parts);
  dumpSavedColors(t, parts);
  dumpColors(t.palette.changed, parts);
  dumpReports(t.reports, parts);
  if (t.replies.eightBit) parts.push('\x1b G');
  dumpCursor(t, parts);
}

/** Appends the margins, the cursor, the pen and the character sets. */
function dumpCursor(t: TerminalState, parts: string[]): void {
  if (t.marginTop !== 0 || t.marginBottom !== t.rows - 1) {
    parts.push(settingSequence(t, 'r'));
  }
  if (!isFullWidth(t)) parts.push(settingSequence(t, 's'));
  if (t.modes.origin) parts.push('\x1b[?6h');
  const { marginTop, marginLeft } = t.modes.origin ? t : { marginTop: 0, marginLeft: 0 };
  parts.push(
    cursorSequence(t.cursor, marginTop, marginLeft),
    penSequence(t.pen),
    charsetSequence(t.charsets),
  );
  parts.push(restore(restoreOperation.protection, protections.indexOf(t.modes.protection)));
  if (t.pen.link !== noLink) parts.push(linkSequence(t.links.get(t.pen.link)));
}

/**
 * Returns output that gives a new terminal of the same size the settings that printing depends on,
 * and the cursor: its position, pen, modes, tab stops, margins and character sets.
 */
export function settingsFor(t: TerminalState): string {
  const parts = [restore(restoreOperation.conformanceLevel, 5)];
  dumpTabs(t, parts);
  dumpModes(t, parts);
  dumpCursor(t, parts);
  parts.push(t.modes.graphemeClusters ? '\x1b[?2027h' : '\x1b[?2027l');
  parts.push(restore(restoreOperation.lastPrinted, ...lastPrinted(t)));
  parts.push(restore(restoreOperation.conformanceLevel, t.modes.conformanceLevel));
  return parts.join('');
}

/** Returns output that erases as {@link eraseFrom} does. @see eraseOutput, which changes the saved cursor */
export function erasure(t: TerminalState, { row, col }: ScreenPlace): string {
  const parts = [`\x1b[?6l\x1b[m\x1b[${row + 1};${col + 1}H\x1b[J`];
  dumpCursor(t, parts);
  return parts.join('');
}

/** Returns vtr's own sequence, for state that no other sequence sets. */
export function restore(operation: number, ...values: number[]): string {
  return `\x1b[=${[operation, ...values].join(';')}w`;
}

/**
 * @param top first row of addresses, by origin mode and margins
 * @param left first column of addresses
 */
export function cursorSequence(cursor: CursorState, top: number, left: number): string {
  const { row, col, wrapPending } = cursor;
  const place = `\x1b[${row - top + 1};${col - left + 1}H`;
  return place + (wrapPending ? restore(restoreOperation.wrapPending) : '');
}

export function penSequence(pen: Pen): string {
  const { fg, bg, underlineColor, attributes } = pen;
  return sgrOf(fg, bg, underlineColor, attributes) + protectionOf(attributes);
}

/** DECSCA. SGR does not affect protection. */
export function protectionOf(attributes: number): string {
  return (attributes & protectedCell) !== 0 ? '\x1b[1"q' : '\x1b["q';
}

const locks = ['\x0f', '\x0e', '\x1bn', '\x1bo'];
/** LS1R to LS3R. G0 cannot be locked there. */
const rightLocks = ['', '\x1b~', '\x1b}', '\x1b|'];

export function charsetSequence(charsets: Charsets): string {
  const designations = [0, 1, 2, 3].map((set) => designation(set, charsets.designated(set)));
  const single = charsets.single < 0 ? '' : charsets.single === 2 ? '\x1bN' : '\x1bO';
  return designations.join('') + locks[charsets.locked] + rightLocks[charsets.lockedRight] + single;
}

function dumpTabs(t: TerminalState, parts: string[]): void {
  const defaults = new TabStops(t.cols);
  const cols = Array.from({ length: t.cols }, (_, col) => col);
  if (cols.every((col) => defaults.isSet(col) === t.tabs.isSet(col))) return;
  parts.push('\x1b[3g');
  for (const col of cols) if (t.tabs.isSet(col)) parts.push(`\x1b[${col + 1}G\x1bH`);
}

function dumpTitles({ titles }: TerminalState, parts: string[]): void {
  for (const { window, icon } of titles.stack) {
    parts.push(`\x1b]2;${window}\x1b\\\x1b]1;${icon}\x1b\\\x1b[22t`);
  }
  if (titles.window !== '' || titles.stack.length > 0) parts.push(`\x1b]2;${titles.window}\x1b\\`);
  if (titles.icon !== '' || titles.stack.length > 0) parts.push(`\x1b]1;${titles.icon}\x1b\\`);
}

/** Has the modes of a new terminal. */
const fresh = new TerminalState({
  cols: 1,
  rows: 1,
  firstLine: 0,
  limits: { maxLines: 0, maxBytes: 0 },
});

function dumpModes(t: TerminalState, parts: string[]): void {
  parts.push(settingSequence(t, ' q'));
  if (t.modes.rectangularExtent) parts.push(settingSequence(t, '*x'));
  if (t.modes.checksumFlags !== 0) parts.push(`\x1b[${t.modes.checksumFlags}#y`);
  if (t.keyboard.modifyOtherKeys !== 0) parts.push(modifiersSequence(t.keyboard));
  if (t.keyboard.formatOtherKeys !== 0) parts.push(formatSequence(t.keyboard));
  for (const [modes, marker] of [
    [ansiModes, ''],
    [decModes, '?'],
  ] as const) {
    for (const mode of modes.filter(({ derived }) => derived !== true)) {
      const isSet = mode.get(t);
      if (isSet !== mode.get(fresh)) parts.push(`\x1b[${marker}${mode.number}${isSet ? 'h' : 'l'}`);
    }
  }
  const { modesAtCommand, stoppedModes } = t;
  if (modesAtCommand) parts.push(restore(restoreOperation.modesAtCommand, ...modesAtCommand));
  if (stoppedModes) parts.push(restore(restoreOperation.stoppedModes, ...stoppedModes));
}

function dumpSaved({ savedModes, savedPens }: TerminalState, parts: string[]): void {
  for (const [number, on] of savedModes) {
    parts.push(restore(restoreOperation.savedMode, number, on ? 1 : 0));
  }
  for (const { pen, requested } of savedPens.entries) {
    parts.push(penSequence(pen), `\x1b[${requested.join(';')}#{`);
  }
}

/**
 * Each palette is set and then saved: by pushing if it is on the stack, otherwise by the number of
 * its slot.
 */
function dumpSavedColors({ savedColors }: TerminalState, parts: string[]): void {
  for (let place = 0; place < savedColors.size; place++) {
    const saved = savedColors.at(place);
    if (saved === undefined) continue;
    dumpColors(saved, parts);
    parts.push(`\x1b[${place < savedColors.depth ? 0 : place + 1}#P`);
    for (const [changed] of saved) parts.push(`\x1b]${resetOf(changed)}\x1b\\`);
  }
}

function resetOf(place: number): string {
  if (place >= firstDynamic) return `${110 + place - firstDynamic}`;
  return place < paletteSize ? `104;${place}` : `105;${place - paletteSize}`;
}

function dumpColors(
  colors: Iterable<readonly [place: number, color: number]>,
  parts: string[],
): void {
  for (const [place, color] of colors) {
    const command = place < firstDynamic ? `4;${place}` : `${10 + place - firstDynamic}`;
    parts.push(`\x1b]${command};${colorReport(color)}\x1b\\`);
  }
}

/**
 * Cells are dumped with mode 2027 off: the first character determines the width, and characters
 * without a width join it. A cluster that only forms in mode 2027 is printed in that mode, except
 * its first character, which must not join the cell before it.
 */
export function clusterOutput(codePoints: readonly number[], width: 1 | 2): string {
  const [first, ...rest] = codePoints;
  const own = Math.max(1, charWidth(first));
  if (own === width && rest.every((point) => charWidth(point) === 0)) {
    return String.fromCodePoint(...codePoints);
  }
  const isPrinted =
    rest.length > 0 &&
    charWidth(first) > 0 &&
    width >= own &&
    clusterWidth(codePoints, own) === width;
  if (!isPrinted) return restore(restoreOperation.cluster, width, first, ...rest);
  return `${String.fromCodePoint(first)}\x1b[?2027h${String.fromCodePoint(...rest)}\x1b[?2027l`;
}

/**
 * Moves over cells that look empty.
 *
 * @param isErased whether they have a style, which only erasing gives them
 * @param code of the cells
 */
export function emptyOutput(count: number, isErased: boolean, code: number): string {
  const erased = isErased ? `\x1b[${count}X` : '';
  const tab = code === emptyCell ? '' : restore(restoreOperation.tab, code, count);
  return `${erased}${tab}\x1b[${count}C`;
}
