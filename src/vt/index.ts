export {
  ansiModes,
  type ControlFunction,
  controlFunctions,
  dcsFunctions,
  decModes,
  fixedAnsiModes,
  fixedDecModes,
  type Mode,
  oscFunctions,
} from './functions/index.ts';
export type { TerminalColors } from './palette.ts';
export type { PrintedText } from './printed-text.ts';
export type { Reader, ScreenCells } from './reading.ts';
export type { ScrollbackLimits } from './scrollback.ts';
export { defaultScrollback, Terminal } from './terminal.ts';
export type { CellPixels } from './terminal-state.ts';
export { unicodeVersion } from './width-table.gen.ts';
