import { nearMisses } from '#base';
import { asVtrError, errorTable, VtrError } from '#model';
import { parseArguments } from './arguments/parse-arguments.ts';
import type { Context } from './context.ts';
import type { Verb } from './verb.ts';
import { allVerbs, findVerb, verbNames } from './verbs/index.ts';

/**
 * Runs `vtr` with these words.
 *
 * @returns the exit status
 */
export function runCommand(words: readonly string[], context: Context): Promise<number> {
  return statusOf(context, () => run(words, context));
}

/** The exit status of something that is done; a failure is said. */
export async function statusOf(
  context: Context,
  act: () => Promise<number | undefined>,
): Promise<number> {
  try {
    return (await act()) ?? 0;
  } catch (thrown) {
    const error = asVtrError(thrown);
    context.say(error.message);
    for (const hint of hintsFor(error)) context.say(hint);
    if (error.code === 'INTERNAL_ERROR' && error.cause instanceof Error) {
      context.say(error.cause.stack ?? '');
    }
    return errorTable[error.code].exit;
  }
}

/** What the coordinator's own message cannot say: who was asked, and how to have one. */
function hintsFor({ code, details: { socket, reason } }: VtrError): string[] {
  if (code === 'UNAVAILABLE' && ['ENOENT', 'ECONNREFUSED'].includes(String(reason))) {
    return ['vtr spawn starts a coordinator, and so does vtr serve --daemon'];
  }
  const isAboutSession = code.startsWith('SESSION_') && socket !== undefined;
  return isAboutSession ? [`the coordinator at ${socket} says so`] : [];
}

async function run(words: readonly string[], context: Context): Promise<number | undefined> {
  const [first] = words;
  if (first === '--version' || first === '-V' || first === 'version') {
    context.out(`vtr ${context.version}\n`);
    return 0;
  }
  if (first === undefined || first === 'help' || isHelp(first)) return help(words, context);
  const { verb, rest } = await verbIn(words);
  const end = rest.indexOf('--');
  if (rest.slice(0, end === -1 ? undefined : end).some(isHelp)) {
    context.out((await import('./arguments/help.ts')).verbHelp(verb));
    return 0;
  }
  return verb.run(context, parseArguments(verb, rest));
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** Asked for, help is an answer; given because nothing was asked for, it is a failure. */
async function help([first, ...about]: readonly string[], { out, say }: Context): Promise<number> {
  const { overview, verbHelp } = await import('./arguments/help.ts');
  if (about.length > 0) out(verbHelp((await verbIn(about)).verb));
  else if (first !== undefined) out(overview(await allVerbs()));
  else say(`no verb is given\n\n${overview(await allVerbs()).trimEnd()}`);
  return first === undefined ? errorTable.INVALID_ARGUMENT.exit : 0;
}

/** A verb has one word or two. @throws VtrError INVALID_ARGUMENT that names the near ones */
async function verbIn(words: readonly string[]): Promise<{ verb: Verb; rest: readonly string[] }> {
  for (const length of [2, 1]) {
    const verb = await findVerb(words.slice(0, length).join(' '));
    if (verb !== undefined) return { verb, rest: words.slice(length) };
  }
  throw unknownVerb(words);
}

/** For words that match no verb; the first may still name a group. */
function unknownVerb([first = '', second]: readonly string[]): VtrError {
  const group = verbNames.filter((name) => name.startsWith(`${first} `));
  const isInGroup = group.length > 0 && second !== undefined;
  const given = isInGroup ? `${first} ${second}` : first;
  const near = isInGroup
    ? nearMisses(
        second,
        group.map((name) => name.slice(first.length + 1)),
      ).map((each) => `${first} ${each}`)
    : nearMisses(first, verbNames);
  return new VtrError(
    'INVALID_ARGUMENT',
    `unknown verb ${JSON.stringify(given)}; ${verbHint(near, group)}`,
  );
}

function verbHint(near: readonly string[], group: readonly string[]): string {
  if (near.length > 0) return `did you mean ${near.map((name) => `vtr ${name}`).join(' or ')}?`;
  if (group.length > 0) return `use ${group.map((name) => `vtr ${name}`).join(', ')}`;
  return 'vtr --help lists the verbs';
}
