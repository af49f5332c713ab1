import type { TtyEnvironment } from '#tty';
import { OwnTty } from '../tty-screen/own-tty.ts';
import { ttyClock } from '../tty-screen/tty-clock.ts';
import { effectivePattern } from '../view/scroll/searching.ts';
import { Player, type PlayerOptions } from './player.ts';
import type { Matcher } from './running-search.ts';

export { plainFrames } from './plain-frames.ts';

export interface PlayRequest extends Omit<PlayerOptions, 'compile'> {
  readonly env: TtyEnvironment;
}

/**
 * Plays a recording in the person's terminal until its end, or until the person leaves.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal
 */
export async function playRecording({ env, ...options }: PlayRequest): Promise<void> {
  const tty = OwnTty.open(env);
  try {
    await new Player(tty, ttyClock, { ...options, compile }).run();
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
