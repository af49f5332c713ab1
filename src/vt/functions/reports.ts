import type { Params } from '../params.ts';
import type { TerminalState } from '../terminal-state.ts';
import { csi, esc } from './control-function.ts';

/** A VT220 with colour. */
const primaryAttributes = '\x1b[?62;22c';
/** VT220; the second number is what programs take for xterm's patch level. */
const secondaryAttributes = '\x1b[>1;276;0c';

function deviceAttributes(t: TerminalState, params: Params): void {
  if (params.get(0) === 0) t.replies.push(primaryAttributes);
}

function secondaryDeviceAttributes(t: TerminalState, params: Params): void {
  if (params.get(0) === 0) t.replies.push(secondaryAttributes);
}

/** Row and column of the cursor, from 1; from the margins in origin mode. */
function cursorPosition(t: TerminalState): string {
  const { marginTop, marginLeft } = t.modes.origin ? t : { marginTop: 0, marginLeft: 0 };
  return `${t.cursor.row - marginTop + 1};${t.cursor.col - marginLeft + 1}`;
}

function deviceStatus(t: TerminalState, params: Params): void {
  if (params.get(0) === 5) t.replies.push('\x1b[0n');
  if (params.get(0) === 6) t.replies.push(`\x1b[${cursorPosition(t)}R`);
}

function privateDeviceStatus(t: TerminalState, params: Params): void {
  if (params.get(0) === 6) t.replies.push(`\x1b[?${cursorPosition(t)};1R`);
}

// biome-ignore format: one line a function
export const reportFunctions = [
  csi('Ps c', 'DA1', 'Report what kind of terminal this is', deviceAttributes),
  csi('> Ps c', 'DA2', 'Report which version it is', secondaryDeviceAttributes),
  csi('Ps n', 'DSR', 'Report the status (5) or the position of the cursor (6)', deviceStatus),
  csi('? Ps n', 'DECDSR', 'Report the position of the cursor with the page (6)', privateDeviceStatus),
  esc('Z', 'DECID', 'As DA1', (t) => t.replies.push(primaryAttributes)),
];
