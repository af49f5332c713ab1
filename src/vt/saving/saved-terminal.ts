import { checkSize } from '#model';
import { applyOutput, type Inside, inside, Terminal, type TerminalOptions } from '../terminal.ts';
import { restoreState } from './restore-state.ts';
import { keptLines, neededLines, readWatch, type SavedLines, saveWatch } from './saved-watch.ts';

/** A terminal without the complete lines above its screen, which {@link SavedLines} contain. */
export interface SavedTerminal {
  /** Output that restores everything except `watch`. */
  readonly dump: Uint8Array;
  /**
   * A JSON value: the revisions, and everything else that readers see and no output restores. Null
   * if it was lost.
   */
  readonly watch: unknown;
  /** Used if `watch` was lost or damaged. */
  readonly numbers: {
    readonly revision: number;
    readonly outputEnd: number;
    /** See {@link Terminal.linesEnd}. */
    readonly linesEnd: number;
  };
}

export interface RestoredTerminal {
  readonly terminal: Terminal;
  /**
   * False if lines were missing, or if the revisions of the rows were: then each row counts as
   * changed in the revision after the saved one, as after a resize.
   */
  readonly exactly: boolean;
}

/**
 * Returns everything except the complete lines above the screen. The time does not depend on
 * them. Events and replies must have been taken before; they are not saved.
 */
export function saveTerminal(
  terminal: Inside & Pick<Terminal, 'revision' | 'linesEnd' | 'snapshot'>,
): SavedTerminal {
  const { state, parser, outputEnd } = terminal[inside];
  const { revision, linesEnd } = terminal;
  return {
    dump: terminal.snapshot({ scrollbackLines: 0 }).dump.slice(),
    watch: saveWatch(state, outputEnd, parser.stringOffset),
    numbers: { revision, outputEnd, linesEnd },
  };
}

/**
 * Returns a terminal that readers cannot distinguish from the saved one, and that continues like
 * it, except that `printedText` lacks lines that have left the screen until the next feed, and
 * that the limit of the scrollback's bytes, which counts allocated memory, may drop lines earlier
 * or later.
 *
 * @param options of the saved terminal, with its current size; `firstLine` is ignored
 * @param lines oldest first. Those before the first or after the last line of the saved terminal
 * are skipped, and so are those before a gap.
 * @throws VtrError INVALID_SIZE
 */
export function restoreTerminal(
  options: TerminalOptions,
  saved: SavedTerminal,
  lines: readonly SavedLines[],
): RestoredTerminal {
  const { cols, rows } = checkSize(options.size);
  const watch = readWatch(saved.watch, cols, rows);
  const { linesEnd, outputEnd, revision } = watch ?? saved.numbers;
  const { first, earlier } = watch === null ? { first: 0, earlier: [] } : neededLines(watch);
  const rest = keptLines([...earlier, ...lines], first, linesEnd);
  const terminal = new Terminal({ ...options, firstLine: rest.from });
  const parts = terminal[inside];
  const feed = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; ) at += applyOutput(parts, bytes.subarray(at), 0);
  };
  const isExact = restoreState(parts.state, { ...saved, watch, revision }, rest.parts, feed);
  terminal.takeEvents();
  terminal.takeReplies();
  parts.outputEnd = outputEnd;
  parts.parser.stringOffset = watch?.stringOffset ?? outputEnd;
  return { terminal, exactly: isExact && rest.from === first };
}
