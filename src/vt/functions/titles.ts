import type { Params } from '../params.ts';
import type { TerminalState } from '../terminal-state.ts';
import { csi } from './control-function.ts';

// Of the window operations only the stack of titles makes sense without a window. Reporting a title
// (20, 21) would type what the output chose, and is never done.
const pushTitles = 22;
const popTitles = 23;

function windowOperation(t: TerminalState, params: Params): void {
  const which = params.get(1);
  if (which > 2) return;
  if (params.get(0) === pushTitles) t.titles.push();
  if (params.get(0) === popTitles) t.titles.pop({ window: which !== 1, icon: which !== 2 });
}

// biome-ignore format: one line a function
export const titleFunctions = [
  csi('Ps ; Ps t', 'XTWINOPS', 'Save (22) or restore (23) the titles of window and icon', windowOperation),
];
