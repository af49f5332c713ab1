import { csi, esc } from './control-function.ts';

// Known, and read over. Each line moves to the file of its kind when it is built.
// biome-ignore format: one line a function
export const unsupportedFunctions = [
  csi('= Ps c', 'DA3', 'Report the unit id'),
  csi('Ps i', 'MC', 'Print the screen'),
  csi('? Ps i', 'MC', 'Print the screen'),
  csi('Ps ; Ps " p', 'DECSCL', 'Set the conformance level'),
  csi('> Ps q', 'XTVERSION', 'Report the name and version of the terminal'),
  csi('Ps $ w', 'DECRQPSR', 'Report the state of cursor or tab stops'),
  csi('? Pm s', 'XTSAVE', 'Save private modes'),
  csi('? Pm r', 'XTRESTORE', 'Restore private modes'),
  csi('Pm # {', 'XTPUSHSGR', 'Save the pen'),
  csi('# }', 'XTPOPSGR', 'Restore the pen'),
  csi('? Ps m', 'XTQMODKEYS', 'Report how modified keys are sent'),
  csi('> Ps n', 'XTMODKEYS', 'Do not send modified keys'),
  esc('~', 'LS1R', 'Use G1 for 8-bit characters'),
  esc('}', 'LS2R', 'Use G2 for 8-bit characters'),
  esc('|', 'LS3R', 'Use G3 for 8-bit characters'),
  esc('SP F', 'S7C1T', 'Send 7-bit controls'),
  esc('SP G', 'S8C1T', 'Send 8-bit controls'),
  esc('# 3', 'DECDHL', 'Double-height line, top half'),
  esc('# 4', 'DECDHL', 'Double-height line, bottom half'),
  esc('# 5', 'DECSWL', 'Single-width line'),
  esc('# 6', 'DECDWL', 'Double-width line'),
  esc('% @', 'DOCS', 'Read output as ISO 8859-1'),
  esc('% G', 'DOCS', 'Read output as UTF-8'),
];
