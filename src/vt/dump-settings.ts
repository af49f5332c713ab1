import type { Charset, Charsets } from './charsets.ts';
import type { CursorState } from './cursor-state.ts';
import { ansiModes, decModes, type Mode } from './functions/mode-table.ts';
import { restoreOperation } from './functions/restoring.ts';
import { isFullWidth } from './margins.ts';
import type { Pen } from './pen.ts';
import { sgrOf } from './sgr-text.ts';
import { TabStops } from './tab-stops.ts';
import { TerminalState } from './terminal-state.ts';

/** The part of a dump that is not about cells; the cursor and what depends on it last. */
export function dumpSettings(t: TerminalState, parts: string[]): void {
  dumpTabs(t, parts);
  dumpTitles(t, parts);
  dumpModes(t, parts);
  if (t.marginTop !== 0 || t.marginBottom !== t.rows - 1) {
    parts.push(`\x1b[${t.marginTop + 1};${t.marginBottom + 1}r`);
  }
  if (!isFullWidth(t)) parts.push(`\x1b[${t.marginLeft + 1};${t.marginRight + 1}s`);
  if (t.modes.origin) parts.push('\x1b[?6h');
  const { marginTop, marginLeft } = t.modes.origin ? t : { marginTop: 0, marginLeft: 0 };
  parts.push(placeOf(t.cursor, marginTop, marginLeft), penOf(t.pen), charsetsOf(t.charsets));
}

/** The sequence of our own that says what no other can. */
export function restore(operation: number, ...values: number[]): string {
  return `\x1b[=${[operation, ...values].join(';')}w`;
}

/** @param top, left where addresses count from, by origin mode and margins */
export function placeOf(cursor: CursorState, top: number, left: number): string {
  const { row, col, wrapPending } = cursor;
  const place = `\x1b[${row - top + 1};${col - left + 1}H`;
  return place + (wrapPending ? restore(restoreOperation.wrapPending) : '');
}

export function penOf(pen: Pen): string {
  return sgrOf(pen.fg, pen.bg, pen.underlineColor, pen.attributes);
}

const finals: Record<Charset, string> = { ascii: 'B', lineDrawing: '0', british: 'A' };
const designators = ['(', ')', '*', '+'];
const locks = ['\x0f', '\x0e', '\x1bn', '\x1bo'];

export function charsetsOf(charsets: Charsets): string {
  const designations = designators.map(
    (designator, set) => `\x1b${designator}${finals[charsets.designated(set)]}`,
  );
  const single = charsets.single < 0 ? '' : charsets.single === 2 ? '\x1bN' : '\x1bO';
  return designations.join('') + locks[charsets.locked] + single;
}

function dumpTabs(t: TerminalState, parts: string[]): void {
  const usual = new TabStops(t.cols);
  const cols = Array.from({ length: t.cols }, (_, col) => col);
  if (cols.every((col) => usual.isSet(col) === t.tabs.isSet(col))) return;
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

/** Origin mode comes later, because setting it moves the cursor. */
function isPlainMode(mode: Mode): boolean {
  return mode.derived !== true && mode.mnemonic !== 'DECOM';
}

function dumpModes(t: TerminalState, parts: string[]): void {
  const shape = ['block', 'underline', 'bar'].indexOf(t.modes.cursorShape) * 2 + 2;
  if (shape !== 2) parts.push(`\x1b[${shape} q`);
  const fresh = new TerminalState(t.cols, t.rows, t.scrollback.limits, 0);
  const { modifyOtherKeys } = t.keyboard;
  if (modifyOtherKeys !== 0) parts.push(`\x1b[>4;${modifyOtherKeys}m`);
  for (const [modes, marker] of [
    [ansiModes, ''],
    [decModes, '?'],
  ] as const) {
    for (const mode of modes.filter(isPlainMode)) {
      const isSet = mode.get(t);
      const isUsual = isSet === mode.get(fresh) && mode.mnemonic !== 'ATT610_BLINK';
      if (!isUsual) parts.push(`\x1b[${marker}${mode.number}${isSet ? 'h' : 'l'}`);
    }
  }
}
