import { type SavedLines, Terminal } from '#vt';

type TerminalOptions = ConstructorParameters<typeof Terminal>[0];

/** Returns a new terminal with lines above its empty screen. */
export function terminalBelow(lines: SavedLines, options: TerminalOptions): Terminal {
  const numbers = { revision: 0, outputEnd: 0, linesEnd: lines.to };
  const empty = { dump: new Uint8Array(0), watch: null, numbers };
  return Terminal.restore(options, empty, [lines]).terminal;
}
