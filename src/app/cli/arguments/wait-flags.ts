import type { WaitRequest } from '#model';
import { duration, type FlagValues, text, texts, toggle, wholeNumber } from './flags.ts';

/** The conditions that end a wait; the exit and the timeout always do. */
const conditions = {
  match: texts('RE', 'output matches RE; repeatable'),
  screen: texts('RE', 'a screen row matches RE, even one already there; repeatable'),
  stop: texts('RE', 'fail when output matches RE; repeatable'),
  finished: toggle('a shell command ends; needs shell integration'),
  prompt: toggle('a shell prompt appears'),
  asks: toggle('the program waits for input: a question, a pager, a REPL'),
  idle: duration('no change for DURATION'),
  exit: toggle('the program exits; vtr then exits with 0'),
  title: text('RE', 'the title changes to one that matches RE'),
  bell: toggle('the bell rings'),
};

/** How conditions match, and how much is printed. */
const options = {
  raw: toggle('--match and --stop match raw bytes, including escape sequences'),
  'prompt-pattern': text(
    'RE',
    'recognize prompts by RE, matched against the text before the cursor',
  ),
  ignore: texts('RE', 'rows that --idle ignores, such as a clock; repeatable'),
  'count-spinners': toggle('--idle counts repeatedly repainted rows (spinners) as changes'),
  since: text('MARK', 'also match output since MARK'),
  tail: wholeNumber('N', 'print the last N lines of output since the call, or since MARK'),
};

export const waitFlags = { ...conditions, ...options };

export type WaitFlagValues = FlagValues<typeof waitFlags>;

/** Returns the names of the given flags that are conditions. */
export const conditionsIn = (given: WaitFlagValues): string[] =>
  namesIn(given, Object.keys(conditions) as (keyof WaitFlagValues)[]);

/** Returns the names of the given flags of a wait. */
export const waitFlagsIn = (given: WaitFlagValues): string[] =>
  namesIn(given, Object.keys(waitFlags) as (keyof WaitFlagValues)[]);

function namesIn(given: WaitFlagValues, names: readonly (keyof WaitFlagValues)[]): string[] {
  return names.filter((name) => {
    const value = given[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
}

/**
 * Builds the request for a wait from its flags.
 *
 * @param patterns treated like those of `--match`, before them
 * @param isForPrograms returns the output even without `--tail`
 */
export function waitRequest(
  given: WaitFlagValues,
  patterns: readonly string[],
  isForPrograms: boolean,
): WaitRequest {
  const { tail, idle, since, title, 'prompt-pattern': promptPattern } = given;
  const { screen, stop, raw, finished, prompt, asks, bell, ignore } = given;
  const maxLines = tail ?? (isForPrograms ? undefined : 0);
  return {
    ...{ match: [...patterns, ...given.match], screen, stop, raw, finished, prompt, asks },
    ...{ bell, ignore },
    ...(promptPattern === undefined ? {} : { promptPattern }),
    ...(idle === undefined ? {} : { quietMs: idle, countSpinners: given['count-spinners'] }),
    ...(title === undefined ? {} : { title }),
    ...(since === undefined ? {} : { since }),
    ...(maxLines === undefined ? {} : { tail: { maxLines } }),
  };
}
