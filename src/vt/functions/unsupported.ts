import { csi, esc } from './control-function.ts';

// Known, and read over. Each line moves to the file of its kind when it is built.
// biome-ignore format: one line a function
export const unsupportedFunctions = [
  csi('? Ps J', 'DECSED', 'Erase what is not protected of the screen'),
  csi('? Ps K', 'DECSEL', 'Erase what is not protected of the row'),
  csi('Ps i', 'MC', 'Print the screen'),
  csi('? Ps i', 'MC', 'Print the screen'),
  csi('Ps ; Ps " p', 'DECSCL', 'Set the conformance level'),
  csi('Ps " q', 'DECSCA', 'Protect the characters to come'),
  csi('Pm $ r', 'DECCARA', 'Change attributes in a rectangle'),
  csi('Pm $ t', 'DECRARA', 'Reverse attributes in a rectangle'),
  csi('Pm $ v', 'DECCRA', 'Copy a rectangle'),
  csi('Pm $ x', 'DECFRA', 'Fill a rectangle'),
  csi('Pm $ z', 'DECERA', 'Erase a rectangle'),
  csi('Pm $ {', 'DECSERA', 'Erase what is not protected of a rectangle'),
  csi('Ps * x', 'DECSACE', 'Set what attribute changes extend to'),
  csi('Pm * y', 'DECRQCRA', 'Report the checksum of a rectangle'),
  esc('V', 'SPA', 'Begin a protected area'),
  esc('W', 'EPA', 'End a protected area'),
  esc('~', 'LS1R', 'Use G1 for 8-bit characters'),
  esc('}', 'LS2R', 'Use G2 for 8-bit characters'),
  esc('|', 'LS3R', 'Use G3 for 8-bit characters'),
  esc('# 3', 'DECDHL', 'Double-height line, top half'),
  esc('# 4', 'DECDHL', 'Double-height line, bottom half'),
  esc('# 5', 'DECSWL', 'Single-width line'),
  esc('# 6', 'DECDWL', 'Double-width line'),
  esc('% @', 'DOCS', 'Read output as ISO 8859-1'),
  esc('% G', 'DOCS', 'Read output as UTF-8'),
];
