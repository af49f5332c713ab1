export {
  ansiModes,
  type ControlFunction,
  controlFunctions,
  decModes,
  type Mode,
  oscFunctions,
} from './functions/index.ts';
export type { PrintedText } from './printed-text.ts';
export type { Reader } from './reading.ts';
export type { ScrollbackLimits } from './scrollback.ts';
export { defaultScrollback, Terminal } from './terminal.ts';
export { unicodeVersion } from './width-table.gen.ts';
