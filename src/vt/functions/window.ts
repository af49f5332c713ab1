import type { Params } from '../parser/params.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { byParameter, csi, type Run, when } from './control-function.ts';

/** Which titles an operation on the stack affects: 1 the icon's, 2 the window's, otherwise both. */
function titlesOf(params: Params): { window: boolean; icon: boolean } {
  const which = params.get(1);
  return { window: which !== 1, icon: which !== 2 };
}

/** Titles are known by 0 (both), 1 (the icon's) and 2 (the window's). */
const ifTitles =
  (change: Run): Run =>
  (t, params) => {
    if (params.get(1) <= 2) change(t, params);
  };

function report(make: (t: TerminalState) => string): Run {
  return (t) => t.replies.push(make(t));
}

const pixels = ({ cols, rows, cellPixels }: TerminalState): string =>
  `${rows * cellPixels.height};${cols * cellPixels.width}`;

/**
 * There is no window. It is reported as open and as filling the screen, and it cannot be moved or
 * resized. Titles are reported as empty, because the reply would be input that the output chose.
 */
// biome-ignore format: one line per operation
const windowOperations = byParameter([
  when(1, 'Restore the window'),
  when(2, 'Minimize the window'),
  when(3, 'Move the window'),
  when(4, 'Resize the window, in pixels'),
  when(5, 'Raise the window'),
  when(6, 'Lower the window'),
  when(7, 'Draw the window again'),
  when(8, 'Resize the window, in rows and columns'),
  when(9, 'Maximize the window, or restore it'),
  when(10, 'Use the whole screen, or restore the window'),
  when(11, 'Report whether the window is open; it always is', report(() => '\x1b[1t')),
  when(13, 'Report the position of the window, always 0, 0', report(() => '\x1b[3;0;0t')),
  when(14, 'Report the size of the window in pixels', report((t) => `\x1b[4;${pixels(t)}t`)),
  when(15, 'Report the size of the screen in pixels, as 14', report((t) => `\x1b[5;${pixels(t)}t`)),
  when(16, 'Report the size of a cell in pixels', report(({ cellPixels }) => `\x1b[6;${cellPixels.height};${cellPixels.width}t`)),
  when(18, 'Report the size of the window in rows and columns', report((t) => `\x1b[8;${t.rows};${t.cols}t`)),
  when(19, 'Report the size of the screen in rows and columns, as 18', report((t) => `\x1b[9;${t.rows};${t.cols}t`)),
  when(20, 'Report the title of the icon, always as empty', report(() => '\x1b]L\x1b\\')),
  when(21, 'Report the title of the window, always as empty', report(() => '\x1b]l\x1b\\')),
  when(22, 'Save the titles', ifTitles((t) => t.titles.push())),
  when(23, 'Restore the titles (0), that of the icon (1) or of the window (2)', ifTitles((t, params) => t.titles.pop(titlesOf(params)))),
]);

// biome-ignore format: one line per function
export const windowFunctions = [
  csi('Ps ; Ps t', 'XTWINOPS', 'Report on the window; save or restore the titles', windowOperations),
  csi('Ps $ |', 'DECSCPP', 'Set the number of columns; programs cannot change the size'),
  csi('Ps * |', 'DECSNLS', 'Set the number of rows; programs cannot change the size'),
  csi('> Pm t', 'XTSMTITLE', 'Set and report titles in hexadecimal'),
  csi('> Pm T', 'XTRMTITLE', 'Undo XTSMTITLE'),
];
