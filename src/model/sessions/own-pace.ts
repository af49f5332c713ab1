/** Output that came without a pause. */
export interface OutputBurst {
  /** When it began, in ms since 1970. */
  readonly atMs: number;
  /** The line of the cursor after it; its row on the alternate screen. */
  readonly line: number;
}

/** A row that is repainted more often than twice in this time, in ms, is a spinner. */
const spinnerMs = 1_000;
/** A program that prints at longer intervals, in ms, has no pace of its own. */
const maxGapMs = 5_000;
/** The number of bursts that show a pace. */
const minBursts = 4;

/**
 * Returns for how long a program must be silent, in ms, before it can be said to wait for its terminal,
 * which it reads while it works: a spinner in raw mode, a server that prints and takes keys. 0 without a
 * pace.
 *
 * @param bursts of output since the last input, oldest first
 * @param unfinished the text of the program at the cursor
 */
export function ownPaceMs(bursts: readonly OutputBurst[], unfinished: string): number {
  const last = bursts.slice(-minBursts);
  if (last.length < minBursts) return 0;
  const [first, second] = last as [OutputBurst, OutputBurst];
  const end = last.at(-1) as OutputBurst;
  const isRepainted = last.every(({ line }) => line === first.line);
  if (isRepainted && end.atMs - second.atMs < spinnerMs) return spinnerMs;
  const gapsMs = last.slice(1).map(({ atMs }, index) => atMs - (last[index]?.atMs ?? 0));
  const longestMs = Math.max(...gapsMs);
  return unfinished.trim() === '' && longestMs <= maxGapMs ? 2 * longestMs : 0;
}
