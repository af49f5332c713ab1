import { tabBackward, tabForward } from '../editing/movement.ts';
import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi, esc } from './control-function.ts';

function clearStops(t: TerminalState, params: Params): void {
  if (params.get(0) === 0) t.tabs.clear(t.cursor.col);
  if (params.get(0) === 3) t.tabs.clearAll();
}

function controlStops(t: TerminalState, params: Params): void {
  if (params.get(0) === 0) t.tabs.set(t.cursor.col);
  if (params.get(0) === 2) t.tabs.clear(t.cursor.col);
  if (params.get(0) === 5) t.tabs.clearAll();
}

// biome-ignore format: one line a function
export const tabFunctions = [
  csi('Ps I', 'CHT', 'Move the cursor Ps tab stops forward', (t, p) => tabForward(t, p.count(0))),
  csi('Ps Z', 'CBT', 'Move the cursor Ps tab stops back', (t, p) => tabBackward(t, p.count(0))),
  csi('Ps g', 'TBC', 'Clear the tab stop here (0) or all of them (3); there are no stops of lines (1, 4)', clearStops),
  csi('Ps W', 'CTC', 'Set (0) or clear (2) the tab stop here, or clear all of them (5)', controlStops),
  csi('? Ps W', 'DECST8C', 'Set a tab stop at every eighth column (5)', (t, p) => { if (p.get(0) === 5) t.tabs.reset(); }),
  esc('H', 'HTS', 'Set a tab stop here', (t) => t.tabs.set(t.cursor.col)),
];
