import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { csi } from './control-function.ts';

type Operation = (t: TerminalState, params: Params) => void;

/** Which titles an operation on the stack affects: 1 the icon's, 2 the window's, otherwise both. */
function titlesOf(params: Params): { window: boolean; icon: boolean } {
  const which = params.get(1);
  return { window: which !== 1, icon: which !== 2 };
}

function report(make: (t: TerminalState) => string): Operation {
  return (t) => t.replies.push(make(t));
}

const pixels = ({ cols, rows, cellPixels }: TerminalState): string =>
  `${rows * cellPixels.height};${cols * cellPixels.width}`;

/**
 * There is no window. It is reported as open and as filling the screen, and it cannot be moved or
 * resized. Titles are reported as empty, because the reply would be input that the output chose.
 */
const operations: Readonly<Record<number, Operation>> = {
  11: report(() => '\x1b[1t'),
  13: report(() => '\x1b[3;0;0t'),
  14: report((t) => `\x1b[4;${pixels(t)}t`),
  15: report((t) => `\x1b[5;${pixels(t)}t`),
  16: report(({ cellPixels }) => `\x1b[6;${cellPixels.height};${cellPixels.width}t`),
  18: report((t) => `\x1b[8;${t.rows};${t.cols}t`),
  19: report((t) => `\x1b[9;${t.rows};${t.cols}t`),
  20: report(() => '\x1b]L\x1b\\'),
  21: report(() => '\x1b]l\x1b\\'),
  22: (t, params) => {
    if (params.get(1) <= 2) t.titles.push();
  },
  23: (t, params) => {
    if (params.get(1) <= 2) t.titles.pop(titlesOf(params));
  },
};

function windowOperation(t: TerminalState, params: Params): void {
  const operation = params.get(0);
  if (Object.hasOwn(operations, operation)) operations[operation](t, params);
}

// biome-ignore format: one line per function
export const windowFunctions = [
  csi('Ps ; Ps t', 'XTWINOPS', 'Report sizes (14, 15, 16, 18, 19); save (22) or restore (23) the titles', windowOperation),
  csi('Ps $ |', 'DECSCPP', 'Set the number of columns; programs cannot change the size'),
  csi('Ps * |', 'DECSNLS', 'Set the number of rows; programs cannot change the size'),
  csi('> Pm t', 'XTSMTITLE', 'Set and report titles in hexadecimal'),
  csi('> Pm T', 'XTRMTITLE', 'Undo XTSMTITLE'),
];
