// The second door of the engine: what a daemon saves of a terminal, and the lines that a scrollback drops. Viewers of
// a terminal do not load it.

export {
  firstStored,
  onDroppedLines,
  type PackedLines,
  packedLines,
  reportDroppedLines,
  unpackedLines,
} from './packed-lines.ts';
export { restoreTerminal, type SavedTerminal, saveTerminal } from './saved-terminal.ts';
export { type SavedLines, saveLines } from './saved-watch.ts';
