import { csi, esc } from './control-function.ts';

// Known, and read over. Each line moves to the file of its kind when it is built.
// biome-ignore format: one line a function
export const unsupportedFunctions = [
  csi('Ps i', 'MC', 'Print the screen'),
  csi('? Ps i', 'MC', 'Print the screen'),
  esc('# 3', 'DECDHL', 'Double-height line, top half'),
  esc('# 4', 'DECDHL', 'Double-height line, bottom half'),
  esc('# 5', 'DECSWL', 'Single-width line'),
  esc('# 6', 'DECDWL', 'Double-width line'),
  esc('% @', 'DOCS', 'Read output as ISO 8859-1'),
  esc('% G', 'DOCS', 'Read output as UTF-8'),
];
