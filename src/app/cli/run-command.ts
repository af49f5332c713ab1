import { nearMisses } from '#base';
import { asVtrError, errorTable, VtrError } from '#model';
import type { Context } from './context.ts';
import { overview, verbHelp } from './help.ts';
import { parseArguments } from './parse-arguments.ts';
import type { Verb } from './verb.ts';
import { verbs } from './verbs/index.ts';

/**
 * Runs `vtr` with these words.
 *
 * @returns the exit status
 */
export async function runCommand(words: readonly string[], context: Context): Promise<number> {
  try {
    return (await run(words, context)) ?? 0;
  } catch (thrown) {
    const error = asVtrError(thrown);
    context.say(error.message);
    if (isMissing(error))
      context.say('vtr spawn starts a coordinator, and so does vtr serve --daemon');
    if (error.code === 'INTERNAL_ERROR' && error.cause instanceof Error) {
      context.say(error.cause.stack ?? '');
    }
    return errorTable[error.code].exit;
  }
}

const isMissing = ({ code, details }: VtrError): boolean =>
  code === 'UNAVAILABLE' && ['ENOENT', 'ECONNREFUSED'].includes(String(details['reason']));

async function run(words: readonly string[], context: Context): Promise<number | undefined> {
  const [first] = words;
  if (first === '--version' || first === '-V' || first === 'version') {
    context.out(`vtr ${context.version}\n`);
    return 0;
  }
  if (first === undefined || first === 'help' || isHelp(first)) return help(words, context);
  const { verb, rest } = findVerb(words);
  const end = rest.indexOf('--');
  if (rest.slice(0, end === -1 ? undefined : end).some(isHelp)) {
    context.out(verbHelp(verb));
    return 0;
  }
  return verb.run(context, parseArguments(verb, rest));
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** Asked for, help is an answer; given because nothing was asked for, it is a failure. */
function help([first, ...about]: readonly string[], context: Context): number {
  if (about.length > 0) context.out(verbHelp(findVerb(about).verb));
  else if (first !== undefined) context.out(overview(verbs));
  else context.say(overview(verbs).trimEnd());
  return first === undefined ? errorTable.INVALID_ARGUMENT.exit : 0;
}

/** @throws VtrError INVALID_ARGUMENT that names the near ones */
function findVerb(words: readonly string[]): { verb: Verb; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const verb = verbs.find((each) => each.name === name);
    if (verb !== undefined) return { verb, rest: words.slice(length) };
  }
  const [first = '', second] = words;
  const group = verbs.filter(({ name }) => name.startsWith(`${first} `));
  const given = group.length > 0 && second !== undefined ? `${first} ${second}` : first;
  const near = nearMisses(
    given,
    (group.length > 0 ? group : verbs).map(({ name }) => name),
  );
  const known = group.length > 0 ? group.map(({ name }) => `vtr ${name}`).join(', ') : 'vtr --help';
  const hint =
    near.length > 0
      ? `did you mean ${near.map((name) => `vtr ${name}`).join(' or ')}?`
      : `see ${known}`;
  throw new VtrError('INVALID_ARGUMENT', `vtr has no verb ${JSON.stringify(given)}; ${hint}`);
}
