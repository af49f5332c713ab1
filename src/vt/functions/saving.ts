import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { maxSavedColors } from '../style/saved-colors.ts';
import { csi } from './control-function.ts';
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
