import { encodeUtf8 } from '#base';
import type { Terminal } from '#vt';
import { restoreTerminal, type SavedLines, saveLines, saveTerminal } from '#vt/saving';
import type { KnownSecrets } from './known-secrets.ts';
import type { ViewedTerminal } from './session-view.ts';
import { screenRows } from './terminal-reader.ts';

type TerminalOptions = ConstructorParameters<typeof Terminal>[0];

/** What a session has of one that has ended, and that it continues. */
export interface SessionBefore {
  /** Above the screen. */
  readonly lines: SavedLines;
  /** The names of variables that were added to its environment. */
  readonly envNames: readonly string[];
  /** In its lines. */
  readonly secrets: KnownSecrets;
}

/** Ends whatever the program left open, and the modes that change how the rest of it is shown. */
const plainModes = [
  // An incomplete sequence (CAN), and a frame.
  '\x18\x1b[?2026l',
  // The alternate screen; margins, their modes, insertion, line feed as new line; wrapping.
  '\x1b[?1049l\x1b[?1047l\x1b[?47l\x1b[?69l\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h',
  // Attributes, protection, hyperlink, character set.
  '\x1b[m\x1b[0"q\x1b]8;;\x1b\\\x1b(B\x0f',
].join('');

/**
 * Returns the lines of a session that has ended, and those of its screen, for another session that
 * continues below them. If the program ended on the alternate screen, its rows follow those of the
 * primary screen.
 *
 * @param options of the ended terminal
 * @param note a line below all of them
 */
export function linesAbove(
  ended: ViewedTerminal,
  options: Omit<TerminalOptions, 'size'>,
  note: string,
): SavedLines {
  const lines = saveLines(ended, ended.firstLine);
  const { terminal } = restoreTerminal({ ...options, size: ended.size }, saveTerminal(ended), [
    lines,
  ]);
  const shown = ended.alternate ? screenRows(ended, 'ansi') : [];
  terminal.feed(encodeUtf8(plainModes));
  scrollOut(terminal);
  for (const rows of [shown, [note]]) {
    terminal.feed(encodeUtf8(`\x1b[H${rows.join('\x1b[m\r\n')}`));
    scrollOut(terminal);
  }
  return saveLines(terminal, terminal.firstLine);
}

/** Scrolls all rows with text off the screen. */
function scrollOut(terminal: Terminal): void {
  const last = screenRows(terminal, 'text').findLastIndex((row) => row.trim() !== '');
  terminal.feed(encodeUtf8(`\x1b[m\x1b[${terminal.size.rows};1H${'\n'.repeat(last + 1)}`));
}

/** Returns a new terminal with lines above its empty screen. */
export function terminalBelow(lines: SavedLines, options: TerminalOptions): Terminal {
  const numbers = { revision: 0, outputEnd: 0, linesEnd: lines.to };
  const empty = { dump: new Uint8Array(0), watch: null, numbers };
  return restoreTerminal(options, empty, [lines]).terminal;
}
