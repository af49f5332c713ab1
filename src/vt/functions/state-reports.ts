import { decodeUtf8 } from '#base';
import { isProtecting, selectProtection } from '../editing/erasing.ts';
import { moveTo, rightLimit } from '../editing/movement.ts';
import { type Charset, Charsets } from '../state/charsets.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import * as attribute from '../style/attributes.ts';
import { charsetFinal, charsetOfFinal, has96Characters } from './charsets.ts';
import {
  byParameter,
  type Choice,
  csi,
  type DcsRun,
  dcs,
  type Operation,
  when,
} from './control-function.ts';

// DECCIR and DECTABSR of the VT420, which DECRQPSR requests and DECRSPS restores. Flags are bits of
// a character in columns 4 and 5 of ASCII.

const flagBase = 0x40;

/** The attributes in DECCIR, by their bits. */
const renditions: readonly (readonly [flag: number, bit: number])[] = [
  [1, attribute.bold],
  [4, attribute.blink],
  [8, attribute.inverse],
  // Added by the VT525.
  [16, attribute.hidden],
];
const underlineFlag = 2;
const protectedFlag = 1;

const originFlag = 1;
const singleShiftFlags: Readonly<Record<number, number>> = { 2: 2, 3: 4 };
const wrapPendingFlag = 8;

// biome-ignore format: one line per operation
const reportPresentation = byParameter([
  when(1, 'The cursor with the pen and the character sets (DECCIR)', (t) => t.replies.push(`\x1bP1$u${cursorReport(t)}\x1b\\`)),
  when(2, 'The tab stops (DECTABSR)', (t) => t.replies.push(`\x1bP2$u${tabReport(t)}\x1b\\`)),
]);

function cursorReport(t: TerminalState): string {
  const { cursor, charsets } = t;
  const sets = [0, 1, 2, 3].map((set) => charsets.designated(set));
  return [
    cursor.row + 1,
    cursor.col + 1,
    1,
    String.fromCharCode(flagBase | renditionFlags(t.pen.attributes)),
    String.fromCharCode(flagBase | (isProtecting(t) ? protectedFlag : 0)),
    String.fromCharCode(flagBase | stateFlags(t)),
    charsets.locked,
    charsets.lockedRight,
    String.fromCharCode(flagBase | sizeFlags(sets)),
    sets.map(charsetFinal).join(''),
  ].join(';');
}

/** One bit for each set of 96 characters. */
function sizeFlags(sets: readonly Charset[]): number {
  return sets.reduce((flags, each, set) => flags | (has96Characters(each) ? 1 << set : 0), 0);
}

function renditionFlags(attributes: number): number {
  let flags = attribute.underlineNumber(attributes) > 0 ? underlineFlag : 0;
  for (const [flag, bit] of renditions) if ((attributes & bit) !== 0) flags |= flag;
  return flags;
}

function stateFlags({ modes, cursor, charsets }: TerminalState): number {
  const origin = modes.origin ? originFlag : 0;
  const wrap = cursor.wrapPending ? wrapPendingFlag : 0;
  return origin | wrap | (singleShiftFlags[charsets.single] ?? 0);
}

function tabReport(t: TerminalState): string {
  const stops: number[] = [];
  for (let col = 0; col < t.cols; col++) if (t.tabs.isSet(col)) stops.push(col + 1);
  return stops.join('/');
}

const cursorReportForm =
  /^(\d{1,9});(\d{1,9});\d{1,9};([@-_]);([@-O]);([@-O]);([0-3]);([1-3]);([@-O]);([ -~]{4,12})$/;

function restoreCursorReport(t: TerminalState, text: string): void {
  const parts = cursorReportForm.exec(text);
  if (parts === null) return;
  const [, row, col, rendition, protection, flags, locked, right, sizes, sets] = parts;
  const state = flags.charCodeAt(0);
  moveTo(t, Number(row) - 1, Number(col) - 1);
  t.modes.origin = (state & originFlag) !== 0;
  if (t.modes.origin) moveIntoMargins(t);
  t.cursor.wrapPending = (state & wrapPendingFlag) !== 0 && t.cursor.col === rightLimit(t);
  restoreRendition(t, rendition.charCodeAt(0));
  const protects = (protection.charCodeAt(0) & protectedFlag) !== 0;
  if (protects !== isProtecting(t)) selectProtection(t, protects);
  t.charsets = restoredCharsets(sets, sizes.charCodeAt(0));
  t.charsets.lock(Number(locked));
  t.charsets.lockRight(Number(right));
  for (const set of [2, 3]) if ((state & singleShiftFlags[set]) !== 0) t.charsets.shiftOnce(set);
}

function moveIntoMargins(t: TerminalState): void {
  const row = Math.max(t.marginTop, Math.min(t.cursor.row, t.marginBottom));
  const col = Math.max(t.marginLeft, Math.min(t.cursor.col, t.marginRight));
  moveTo(t, row, col);
}

function restoreRendition({ pen }: TerminalState, flags: number): void {
  let { attributes } = pen;
  for (const [flag, bit] of renditions) {
    attributes = (flags & flag) !== 0 ? attributes | bit : attributes & ~bit;
  }
  const underlined = (flags & underlineFlag) !== 0;
  if (underlined !== attribute.underlineNumber(attributes) > 0) {
    attributes = attribute.withUnderline(attributes, underlined ? 1 : 0);
  }
  pen.attributes = attributes;
}

function restoredCharsets(finals: string, sizes: number): Charsets {
  const charsets = new Charsets();
  const designated = finals.match(/[ -/]*[0-~]/g) ?? [];
  for (const [set, final] of designated.slice(0, 4).entries()) {
    const charset = charsetOfFinal(final, set > 0 && (sizes & (1 << set)) !== 0);
    if (charset !== undefined) charsets.designate(set, charset);
  }
  return charsets;
}

function restoreTabReport(t: TerminalState, text: string): void {
  if (!/^\d{0,9}(\/\d{0,9})*$/.test(text)) return;
  t.tabs.clearAll();
  for (const stop of text.split('/')) {
    const col = Number(stop) - 1;
    if (col >= 0 && col < t.cols) t.tabs.set(col);
  }
}

// biome-ignore format: one line per operation
const restorable: readonly Operation<(t: TerminalState, text: string) => void>[] = [
  when(1, 'The cursor with the pen and the character sets', restoreCursorReport),
  when(2, 'The tab stops', restoreTabReport),
];

const restorePresentation: Choice<DcsRun> = {
  operations: restorable,
  run(t, params, payload) {
    const operation = restorable.find(({ value }) => value === params.get(0));
    operation?.effect?.(t, decodeUtf8(payload));
  },
};

// biome-ignore format: one line per function
export const stateReportFunctions = [
  csi('Ps $ w', 'DECRQPSR', 'Report a part of the state', reportPresentation),
  csi('Ps $ u', 'DECRQTSR', 'Report the whole state in a terminal-specific form'),
];

// biome-ignore format: one line per function
export const stateRestoringFunctions = [
  dcs('Ps $ t', 'DECRSPS', 'Restore a report of DECRQPSR', restorePresentation),
];
