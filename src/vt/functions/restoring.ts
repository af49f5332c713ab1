import { maxClusterLength } from '../cells/cluster-table.ts';
import { printCluster } from '../editing/printing.ts';
import { mayWrap } from '../editing/screens.ts';
import { wrapLine } from '../editing/scrolling.ts';
import type { Params } from '../parser/params.ts';
import type { Protection } from '../state/modes.ts';
import { noCharacter, type TerminalState } from '../state/terminal-state.ts';
import { csi } from './control-function.ts';
import { decMode } from './mode-table.ts';

// A dump is made of the sequences that everybody knows, so that other terminals can read it, and of
// this one, of our own, for what those cannot say. Others read it over.

export const restoreOperation = {
  /** Ps: goes on in the next row, as if a character came that does not fit; Ps columns stay free. */
  wrap: 0,
  /** The last column, or that of the right margin, is filled, the next character wraps. */
  wrapPending: 1,
  /** Ps: the character that REP repeats; 0 for none. */
  lastPrinted: 2,
  /** Ps ; Ps: a DEC mode as XTSAVE saved it, by number; 1 for set. */
  savedMode: 3,
  /** Ps: what kind of protection counts, as in {@link protections}. */
  protection: 4,
  /** Ps ; Ps ...: a cell, or two, that holds these code points. */
  cluster: 5,
  /** Ps: of DECSCL, 1 to 5, without the reset. */
  conformanceLevel: 6,
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
      t.lastPrinted = printable(params.get(1));
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
    case restoreOperation.cluster:
      restoreCluster(t, params);
      break;
  }
}

function restoreCluster(t: TerminalState, params: Params): void {
  const codePoints = [];
  for (let at = 2; at < params.length; at++) codePoints.push(printable(params.get(at)));
  const isCluster = codePoints.length > 0 && codePoints.length <= maxClusterLength;
  if (isCluster && !codePoints.includes(noCharacter)) {
    printCluster(t, codePoints, params.get(1) === 2 ? 2 : 1);
  }
}

/** A character that could have been printed, or none. */
function printable(codePoint: number): number {
  const isControl = codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0);
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return isControl || isSurrogate || codePoint > 0x10ffff ? noCharacter : codePoint;
}

// biome-ignore format: one line a function
export const restoringFunctions = [
  csi('= Pm w', 'VTRRESTORE', 'In dumps only: wrap (0), wrap pending (1), last character (2), saved mode (3), kind of protection (4), cluster (5), level of DECSCL (6)', restore),
];
