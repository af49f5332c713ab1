import { csi, esc } from './control-function.ts';

// Known, and read over. Each line moves to the file of its kind when it is built.
// biome-ignore format: one line a function
export const unsupportedFunctions = [
  csi('Ps i', 'MC', 'Print the screen'),
  csi('? Ps i', 'MC', 'Print the screen'),
  csi('Ps $ u', 'DECRQTSR', 'Report the whole state, in a form that each terminal chooses; dumps do'),
  csi('Ps $ |', 'DECSCPP', 'Set the columns: the size is for who runs the program to choose'),
  csi('Ps * |', 'DECSNLS', 'Set the rows: as DECSCPP'),
  csi('> Pm t', 'XTSMTITLE', 'Set and report titles in hexadecimal; they are not reported'),
  csi('> Pm T', 'XTRMTITLE', 'Undo XTSMTITLE'),
  esc('# 3', 'DECDHL', 'Double-height line, top half; on a screen of cells there are none'),
  esc('# 4', 'DECDHL', 'Double-height line, bottom half; as above'),
  esc('# 5', 'DECSWL', 'Single-width line, as all are'),
  esc('# 6', 'DECDWL', 'Double-width line; as DECDHL'),
  esc('% @', 'DOCS', 'Read output as ISO 8859-1; it is UTF-8'),
  esc('% G', 'DOCS', 'Read output as UTF-8, as it always is'),
];
