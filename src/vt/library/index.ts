// What `import 'vtr/vt'` loads: the terminal engine without the rest of vtr. It needs nothing of Node and no package.

export {
  type Cell,
  type CellPixels,
  type Cursor,
  isVtrError,
  type KeyModes,
  type LineFinder,
  type LineScan,
  type OutputPosition,
  type ScreenPlace,
  type Size,
  type Style,
  type ViewModes,
  type VtrError,
} from '#model';
export { clustersOf, textWidth } from '../cells/graphemes.ts';
export { unicodeVersion } from '../cells/width-table.gen.ts';
export type { Dumping, DumpOptions, Snapshot } from '../dump/dump.ts';
export type { PrintedText } from '../reading/printed-text.ts';
export type { Reader, ScreenCells } from '../reading/readers.ts';
export {
  type RestoredTerminal,
  restoreTerminal,
  type SavedTerminal,
  saveTerminal,
} from '../saving/saved-terminal.ts';
export { type SavedLines, saveLines } from '../saving/saved-watch.ts';
export type { ScrollbackLimits } from '../scrollback/scrollback.ts';
export type { PositionedEvent, TerminalEvent } from '../state/event-log.ts';
export type { TerminalColors } from '../style/palette.ts';
export { defaultScrollback, Terminal, type TerminalOptions } from '../terminal.ts';
