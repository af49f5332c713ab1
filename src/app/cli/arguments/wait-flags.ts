import type { WaitRequest } from '#model';
import { duration, type FlagValues, text, texts, toggle, wholeNumber } from './flags.ts';

/** What ends a wait, besides the exit and the time-out. */
const conditions = {
  match: texts('RE', 'output matches; may be given again'),
  screen: texts('RE', 'a row of the screen matches, whenever it came; may be given again'),
  stop: texts('RE', 'output says that it will not come; may be given again'),
  finished: toggle('a command of the shell ends; needs shell integration'),
  prompt: toggle('a shell, or what looks like one, asks for the next command'),
  idle: duration('nothing changes for so long'),
  exit: toggle('the program ends: then that is status 0'),
  title: text('RE', 'the title changes, and matches'),
  bell: toggle('the bell rings'),
};

/** How to look, and what to tell. */
const manners = {
  raw: toggle('match and stop look at the bytes, escape sequences included'),
  'prompt-pattern': text('RE', 'what stands left of the cursor at a prompt that is not marked'),
  ignore: texts('RE', 'rows that do not count for --idle, as a clock; may be given again'),
  'count-spinners': toggle('for --idle a row that is painted over and over counts as well'),
  since: text('MARK', 'what came after this mark counts too'),
  tail: wholeNumber('N', 'print the last N lines of the output since'),
};

export const waitFlags = { ...conditions, ...manners };

export type WaitFlagValues = FlagValues<typeof waitFlags>;

/** The flags that are given of those that end a wait. */
export const conditionsIn = (given: WaitFlagValues): string[] =>
  namesIn(given, Object.keys(conditions) as (keyof WaitFlagValues)[]);

/** The flags of a wait that are given. */
export const waitFlagsIn = (given: WaitFlagValues): string[] =>
  namesIn(given, Object.keys(waitFlags) as (keyof WaitFlagValues)[]);

function namesIn(given: WaitFlagValues, names: readonly (keyof WaitFlagValues)[]): string[] {
  return names.filter((name) => {
    const value = given[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
}

/**
 * What the flags ask for.
 *
 * @param patterns matched like those of `--match`, before them
 * @param isForPrograms whether all that the coordinator tells is printed
 */
export function waitRequest(
  given: WaitFlagValues,
  patterns: readonly string[],
  isForPrograms: boolean,
): WaitRequest {
  const { tail, idle, since, title, 'prompt-pattern': promptPattern } = given;
  const { screen, stop, raw, finished, prompt, bell, ignore } = given;
  const maxLines = tail ?? (isForPrograms ? undefined : 0);
  return {
    ...{ match: [...patterns, ...given.match], screen, stop, raw, finished, prompt, bell, ignore },
    ...(promptPattern === undefined ? {} : { promptPattern }),
    ...(idle === undefined ? {} : { quietMs: idle, countSpinners: given['count-spinners'] }),
    ...(title === undefined ? {} : { title }),
    ...(since === undefined ? {} : { since }),
    ...(maxLines === undefined ? {} : { tail: { maxLines } }),
  };
}
