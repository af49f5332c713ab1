import type { Terminal } from '#vt';
import { restoreTerminal, type SavedLines } from '#vt/saving';

type TerminalOptions = ConstructorParameters<typeof Terminal>[0];

/** Returns a new terminal with lines above its empty screen. */
export function terminalBelow(lines: SavedLines, options: TerminalOptions): Terminal {
  const numbers = { revision: 0, outputEnd: 0, linesEnd: lines.to };
  const empty = { dump: new Uint8Array(0), watch: null, numbers };
  return restoreTerminal(options, empty, [lines]).terminal;
}
