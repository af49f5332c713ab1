import type { Params } from '../params.ts';
import type { TerminalState } from '../terminal-state.ts';
import { csi } from './control-function.ts';
import { decMode } from './mode-table.ts';

function saveModes(t: TerminalState, params: Params): void {
  for (let at = 0; at < params.length; at++) {
    const number = params.get(at);
    const mode = decMode(number);
    if (mode !== undefined) t.savedModes.set(number, mode.get(t));
  }
}

/** A mode that was never saved is left as it is. */
function restoreModes(t: TerminalState, params: Params): void {
  for (let at = 0; at < params.length; at++) {
    const number = params.get(at);
    const saved = t.savedModes.get(number);
    if (saved !== undefined) decMode(number)?.set(t, saved);
  }
}

/** By the numbers of SGR, without parameters all. */
function pushPen(t: TerminalState, params: Params): void {
  const parts: number[] = [];
  for (let at = 0; at < params.length; at++) if (params.get(at) > 0) parts.push(params.get(at));
  t.savedPens.push(t.pen, parts);
}

function popPen(t: TerminalState): void {
  t.savedPens.pop(t.pen);
}

// biome-ignore format: one line a function
export const savingFunctions = [
  csi('? Pm s', 'XTSAVE', 'Save private modes', saveModes),
  csi('? Pm r', 'XTRESTORE', 'Restore private modes', restoreModes),
  csi('Pm # {', 'XTPUSHSGR', 'Save the pen, or some of its parts', pushPen),
  csi('Pm # p', 'XTPUSHSGR', 'As CSI # {', pushPen),
  csi('# }', 'XTPOPSGR', 'Restore the pen', popPen),
  csi('# q', 'XTPOPSGR', 'As CSI # }', popPen),
];
