import { clusterFlag, tabAlone, tabStart } from '../cells/cell.ts';
import { maxClusterLength } from '../cells/cluster-table.ts';
import { readCommandModes } from '../editing/command-modes.ts';
import { printCluster } from '../editing/printing.ts';
import { mayWrap } from '../editing/screens.ts';
import { wrapLine } from '../editing/scrolling.ts';
import { restoreTab } from '../grid/cell-writing.ts';
import type { Params } from '../parser/params.ts';
import type { Protection } from '../state/modes.ts';
import { noCharacter, type TerminalState } from '../state/terminal-state.ts';
import { maxSavedColors } from '../style/saved-styles.ts';
import { byParameter, csi, when } from './control-function.ts';
import { decMode } from './mode-table.ts';

function saveModes(t: TerminalState, params: Params): void {
  for (let at = 0; at < params.length; at++) {
    const number = params.get(at);
    const mode = decMode(number);
    if (mode !== undefined) t.savedModes.set(number, mode.get(t));
  }
}

/** A mode that was never saved does not change. */
function restoreModes(t: TerminalState, params: Params): void {
  for (let at = 0; at < params.length; at++) {
    const number = params.get(at);
    const saved = t.savedModes.get(number);
    if (saved !== undefined) decMode(number)?.set(t, saved);
  }
}

/** The parameters are numbers of SGR; without them, all parts are saved. */
function pushPen(t: TerminalState, params: Params): void {
  const parts: number[] = [];
  for (let at = 0; at < params.length; at++) if (params.get(at) > 0) parts.push(params.get(at));
  t.savedPens.push(t.pen, parts);
}

function popPen(t: TerminalState): void {
  t.savedPens.pop(t.pen);
}

/** 0 pushes; 1 and above writes to that slot of the stack. */
function pushColors(t: TerminalState, params: Params): void {
  const slot = params.get(0);
  if (slot === 0) t.savedColors.push(t.palette);
  else if (slot <= maxSavedColors) t.savedColors.store(slot - 1, t.palette);
}

function popColors(t: TerminalState, params: Params): void {
  const slot = params.get(0);
  if (slot === 0) t.savedColors.pop(t.palette);
  else t.savedColors.recall(slot - 1, t.palette);
}

function reportColors({ savedColors, replies }: TerminalState): void {
  replies.push(`\x1b[?${savedColors.depth};${savedColors.size}#Q`);
}

// biome-ignore format: one line per function
export const savingFunctions = [
  csi('? Pm s', 'XTSAVE', 'Save private modes', saveModes),
  csi('? Pm r', 'XTRESTORE', 'Restore private modes', restoreModes),
  csi('Pm # {', 'XTPUSHSGR', 'Save the pen or parts of it', pushPen),
  csi('Pm # p', 'XTPUSHSGR', 'As CSI # {', pushPen),
  csi('# }', 'XTPOPSGR', 'Restore the pen', popPen),
  csi('# q', 'XTPOPSGR', 'As CSI # }', popPen),
  csi('Ps # P', 'XTPUSHCOLORS', 'Save the palette and the dynamic colours; with Ps, write them to slot Ps of the stack', pushColors),
  csi('Ps # Q', 'XTPOPCOLORS', 'Restore the palette and the dynamic colours; with Ps, read them from slot Ps of the stack', popColors),
  csi('# R', 'XTREPORTCOLORS', 'Report the number of saved palettes and of used slots of the stack', reportColors),
];

// A dump consists of standard sequences, so that other terminals can read it, and of this one,
// which is vtr's own, for state that those cannot set. Other terminals ignore it.

/** The first parameter of the sequence; the table below tells what each does. */
export const restoreOperation = {
  wrap: 0,
  wrapPending: 1,
  lastPrinted: 2,
  savedMode: 3,
  protection: 4,
  cluster: 5,
  conformanceLevel: 6,
  tab: 7,
  modesAtCommand: 8,
  stoppedModes: 9,
} as const;

export const protections: readonly Protection[] = ['off', 'dec', 'iso'];

// biome-ignore format: one line per operation
const restore = byParameter([
  when(0, 'Wrap to the next row as if a character did not fit; Ps columns become the spacers of a wide character', (t, p) => wrapLine(t, Math.min(p.get(1), t.cols))),
  when(1, 'The last column or the right margin is filled; the next character wraps', (t) => { t.cursor.wrapPending = mayWrap(t); }),
  when(2, 'The code points that REP repeats; 0 for none', restoreLastPrinted),
  when(3, 'The number of a private mode that XTSAVE saved, and 1 if it was set', restoreSavedMode),
  when(4, 'Which protection applies: none (0), that of DECSCA (1) or of SPA (2)', (t, p) => { t.modes.protection = protections[p.get(1)] ?? 'off'; }),
  when(5, 'Print a cluster: its width in cells, and its code points', restoreCluster),
  when(6, 'The level of DECSCL, 1 to 5, without a reset', (t, p) => { t.modes.conformanceLevel = Math.max(1, Math.min(p.get(1), 5)); }),
  when(7, 'The code of a tab, and the number of cells that get it, from the cursor on', (t, p) => restoreTabCells(t, p.get(1), p.get(2))),
  when(8, 'The modes at the beginning of the running command', (t, p) => { t.modesAtCommand = readCommandModes(valuesOf(p)); }),
  when(9, 'The modes of a stopped command', (t, p) => { t.stoppedModes = readCommandModes(valuesOf(p)); }),
]);

function restoreSavedMode(t: TerminalState, params: Params): void {
  const number = params.get(1);
  if (decMode(number) !== undefined) t.savedModes.set(number, params.get(2) === 1);
}

function valuesOf(params: Params): number[] {
  return Array.from({ length: params.length - 1 }, (_, at) => params.get(at + 1));
}

function restoreTabCells({ grid, cursor, cols }: TerminalState, code: number, count: number): void {
  if (code < tabStart || code > tabAlone) return;
  restoreTab(grid, cursor.row, cursor.col, Math.min(cursor.col + count, cols), code);
}

function restoreCluster(t: TerminalState, params: Params): void {
  const codePoints = codePointsFrom(params, 2);
  if (codePoints !== null) printCluster(t, codePoints, params.get(1) === 2 ? 2 : 1);
}

function restoreLastPrinted(t: TerminalState, params: Params): void {
  const codePoints = codePointsFrom(params, 1) ?? [noCharacter];
  const [first] = codePoints;
  t.lastPrinted =
    codePoints.length === 1
      ? first
      : clusterFlag | t.clusters.intern(String.fromCodePoint(...codePoints));
}

/** The code points of a cell from a parameter on; null if they could not have been printed. */
function codePointsFrom(params: Params, from: number): number[] | null {
  const codePoints = [];
  for (let at = from; at < params.length; at++) codePoints.push(printable(params.get(at)));
  const isCluster = codePoints.length > 0 && codePoints.length <= maxClusterLength;
  return isCluster && !codePoints.includes(noCharacter) ? codePoints : null;
}

/** Returns the code point if it could have been printed, otherwise {@link noCharacter}. */
function printable(codePoint: number): number {
  const isControl = codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0);
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return isControl || isSurrogate || codePoint > 0x10ffff ? noCharacter : codePoint;
}

// biome-ignore format: one line per function
export const restoringFunctions = [
  csi('= Pm w', 'VTRRESTORE', 'Used only in dumps: restore what no other sequence sets', restore),
];
