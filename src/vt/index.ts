// The directories of this room, in the order of imports; none imports one further down:
//
// - parser, cells, style: bytes, the content of cells, colours and attributes
// - grid, scrollback: the cells of a screen, and the lines above it
// - state: everything that a terminal stores
// - editing: printing, erasing, moving, scrolling, resizing
// - reading: text, cells and changes for readers; reports and checks of the state
// - functions: the tables of control functions and modes
// - dump: output that restores a terminal

export { textCells } from './cells/clusters.ts';
export { clusterWidth, joins, widthAlone } from './cells/graphemes.ts';
export { unicodeVersion } from './cells/width-table.gen.ts';
export type { SavedLines } from './dump/saved-lines.ts';
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
export type { PackedLines } from './scrollback/packed-lines.ts';
export type { ScrollbackLimits } from './scrollback/scrollback.ts';
export { maxWork } from './state/work.ts';
export type { TerminalColors } from './style/palette.ts';
export {
  defaultScrollback,
  type SavedTerminal,
  Terminal,
} from './terminal.ts';
