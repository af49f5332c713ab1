export { unicodeVersion } from './cells/width-table.gen.ts';
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
export type { PrintedText } from './reading/printed-text.ts';
export type { Reader, ScreenCells } from './reading/readers.ts';
export type { ScrollbackLimits } from './scrollback/scrollback.ts';
export type { CellPixels } from './state/terminal-state.ts';
export type { TerminalColors } from './style/palette.ts';
export { defaultScrollback, Terminal } from './terminal.ts';
