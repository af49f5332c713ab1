import { clusterFlag, tabAlone, tabStart } from '../cells/cell.ts';
import { maxClusterLength } from '../cells/cluster-table.ts';
import { readCommandModes } from '../editing/command-modes.ts';
import { printCluster } from '../editing/printing.ts';
import { mayWrap } from '../editing/screens.ts';
import { wrapLine } from '../editing/scrolling.ts';
import { restoreTab } from '../grid/tab-cells.ts';
import type { Params } from '../parser/params.ts';
import type { Protection } from '../state/modes.ts';
import { noCharacter, type TerminalState } from '../state/terminal-state.ts';
import { csi } from './control-function.ts';
import { decMode } from './mode-table.ts';

// A dump consists of standard sequences, so that other terminals can read it, and of this one,
// which is vtr's own, for state that those cannot set. Other terminals ignore it.

export const restoreOperation = {
  /** Ps: wraps to the next row as if a character did not fit; Ps columns become head spacers. */
  wrap: 0,
  /** The last column or the right margin is filled; the next character wraps. */
  wrapPending: 1,
  /** Ps ; Ps ...: the code points that REP repeats; 0 for none. */
  lastPrinted: 2,
  /** Ps ; Ps: the number of a DEC mode that XTSAVE saved, and 1 if it was set. */
  savedMode: 3,
  /** Ps: which protection applies, an index of {@link protections}. */
  protection: 4,
  /** Ps ; Ps ...: the width of a cluster in cells, and its code points. */
  cluster: 5,
  /** Ps: the level of DECSCL, 1 to 5, without a reset. */
  conformanceLevel: 6,
  /** Ps ; Ps: one of the codes of a tab, and the number of cells that get it from the cursor on. */
  tab: 7,
  /** Ps ; Ps ...: the modes at the beginning of the running command. */
  modesAtCommand: 8,
  /** Ps ; Ps ...: the modes of a stopped command. */
  stoppedModes: 9,
} as const;

export const protections: readonly Protection[] = ['off', 'dec', 'iso'];

function restore(t: TerminalState, params: Params): void {
  switch (params.get(0)) {
    case restoreOperation.wrap:
      wrapLine(t, Math.min(params.get(1), t.cols));
      break;
    case restoreOperation.wrapPending:
      t.cursor.wrapPending = mayWrap(t);
      break;
    case restoreOperation.lastPrinted:
      restoreLastPrinted(t, params);
      break;
    case restoreOperation.savedMode:
      if (decMode(params.get(1)) !== undefined) {
        t.savedModes.set(params.get(1), params.get(2) === 1);
      }
      break;
    case restoreOperation.protection:
      t.modes.protection = protections[params.get(1)] ?? 'off';
      break;
    case restoreOperation.conformanceLevel:
      t.modes.conformanceLevel = Math.max(1, Math.min(params.get(1), 5));
      break;
    case restoreOperation.tab:
      restoreTabCells(t, params.get(1), params.get(2));
      break;
    case restoreOperation.cluster:
      restoreCluster(t, params);
      break;
    case restoreOperation.modesAtCommand:
      t.modesAtCommand = readCommandModes(valuesOf(params));
      break;
    case restoreOperation.stoppedModes:
      t.stoppedModes = readCommandModes(valuesOf(params));
      break;
  }
}

const valuesOf = (params: Params): number[] =>
  Array.from({ length: params.length - 1 }, (_, at) => params.get(at + 1));

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
  csi('= Pm w', 'VTRRESTORE', 'Used only in dumps: wrap (0), pending wrap (1), last character (2), saved mode (3), kind of protection (4), cluster (5), level of DECSCL (6), tab (7), modes at the beginning of a command (8), of a stopped one (9)', restore),
];
