import { sanitize } from '#base';
import { oneLine } from '#model';
import type { Replay } from '#replay';
import type { TtyEnvironment } from '#tty';
import { Keys, type WrittenKeys } from '../keys.ts';
import { OwnTty } from '../tty-screen/own-tty.ts';
import { ttyClock } from '../tty-screen/tty.ts';
import { effectivePattern } from '../view/searching.ts';
import { Player, type PlayerOptions } from './player.ts';
import type { Matcher } from './player-update.ts';

export interface PlayRequest extends Omit<PlayerOptions, 'compile' | 'keys'> {
  readonly keys: WrittenKeys;
  readonly env: TtyEnvironment;
}

/**
 * Plays a recording in the person's terminal until its end, or until the person leaves.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal
 */
export async function playRecording({ env, keys, ...options }: PlayRequest): Promise<void> {
  const tty = OwnTty.open(env);
  try {
    await new Player(tty, ttyClock, { ...options, keys: new Keys(null, keys), compile }).run();
  } finally {
    await tty.close();
  }
}

/** The library for patterns is loaded only for this. */
async function compile(source: string): Promise<Matcher> {
  const { Pattern } = await import('#watch');
  const pattern = new Pattern(effectivePattern(source));
  return (text) => pattern.findAll(text);
}

/** A screen is printed when it has not changed for this time of the recording, in ms. */
const settledMs = 100;
/** A screen that keeps changing is printed after this time, in ms. */
const mostMs = 1_000;

/**
 * Yields the screens of a recording as text, for output that is not a terminal: a line with the time and
 * the markers since the frame before, then the rows up to the last one that is not blank.
 */
export function* plainFrames(replay: Replay, fromMs: number): Generator<string> {
  let markers = replay.markers.filter(({ atMs }) => atMs >= fromMs);
  let printed = '';
  let printedMs = fromMs;
  let pending: { atMs: number; rows: string } | null = null;
  const frame = (of: { atMs: number; rows: string }) => {
    const passed = markers.filter(({ atMs }) => atMs <= of.atMs);
    markers = markers.slice(passed.length);
    const labels = passed.map(({ label }) => `  ${oneLine(label)}`).join('');
    printed = of.rows;
    printedMs = of.atMs;
    return `--- ${(of.atMs / 1000).toFixed(3)} s${labels}\n${of.rows}`;
  };
  for (const { atMs, terminal } of replay.steps({ fromMs })) {
    const isSettled = pending !== null && atMs - pending.atMs >= settledMs;
    const isDue = pending !== null && pending.atMs - printedMs >= mostMs;
    if (pending !== null && pending.rows !== printed && (isSettled || isDue)) yield frame(pending);
    pending = { atMs, rows: rowsText(terminal.screenText()) };
  }
  if (pending !== null && pending.rows !== printed) yield frame(pending);
}

function rowsText(rows: readonly string[]): string {
  const used = rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  return used.map((row) => `${sanitize(row).text}\n`).join('');
}
