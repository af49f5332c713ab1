// The directories of this room, in the order of imports; none imports one further down:
//
// - parser, cells, style: bytes, the content of cells, colours and attributes
// - grid, scrollback: the cells of a screen, and the lines above it
// - state: everything that a terminal stores
// - editing: printing, erasing, moving, scrolling, resizing
// - reading: text, cells and changes for readers
// - functions: the tables of control functions and modes
// - dump: output that restores a terminal
//
// Other doors of the room: `widths` has the width of text, `functions` the tables as they are documented, `saving`
// what a daemon saves, and `checks` what tests ask.

export { clusterWidth, joins, textCells, widthAlone } from './cells/graphemes.ts';
export type { PrintedText } from './reading/printed-text.ts';
export type { Reader, ScreenCells } from './reading/readers.ts';
export type { ScrollbackLimits } from './scrollback/scrollback.ts';
export { maxWork } from './state/terminal-state.ts';
export type { TerminalColors } from './style/palette.ts';
export { defaultScrollback, Terminal } from './terminal.ts';
