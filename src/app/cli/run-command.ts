import { nearMisses, quoted, wordOrQuoted } from '#base';
import { errorTable, VtrError } from '#model';
import { checkUtf8, parseArguments } from './arguments/parse-arguments.ts';
import type { Context } from './context.ts';
import { statusOf } from './exit-codes.ts';
import { asOutputIs, withJsonMessages } from './output/messages.ts';
import type { Verb } from './verb.ts';
import { allVerbs, findVerb, verbGroups, verbNames } from './verbs/index.ts';
import { asksForJson, versionWords } from './verbs/short-verb-names.ts';

/**
 * Runs `vtr` with these arguments.
 *
 * @returns the exit status
 */
export function runCommand(words: readonly string[], context: Context): Promise<number> {
  const own = asksForJson(words) ? withJsonMessages(context) : context;
  return statusOf(own, () => run(words, own));
}

async function run(words: readonly string[], context: Context): Promise<number | undefined> {
  const [first = '', second] = words;
  checkUtf8(words);
  if (versionWords.includes(first)) {
    context.out(`vtr ${context.version}\n`);
    return 0;
  }
  if (words.length === 0) return noVerb(context);
  if (first === 'help' || isHelp(first)) return help(words.slice(1), context);
  if (groupOf(first).length > 0 && second !== undefined && isHelp(second)) {
    return help([first], context);
  }
  const { leading, others } = splitLeadingFlags(words);
  const { verb, rest: own } = await verbIn(others);
  const rest = [...leading, ...own];
  if (verb.ownWords && !isHelp(rest[0] ?? '')) {
    if (leading.length > 0) throw await unknownVerb(words);
    return verb.run(context, { args: {}, flags: {}, rest });
  }
  const end = rest.indexOf('--');
  if (rest.slice(0, end === -1 ? undefined : end).some(isHelp)) {
    const { helpWidth, verbHelp } = await import('./arguments/help.ts');
    context.out(verbHelp(verb, helpWidth(context.columns)));
    return 0;
  }
  const shown = await asOutputIs(context, verb);
  return statusOf(shown, async () => verb.run(shown, parseArguments(verb, rest)));
}

/** The flags of nearly all verbs may stand before the verb, too: `vtr --json ls`. */
function splitLeadingFlags(words: readonly string[]): { leading: string[]; others: string[] } {
  let at = 0;
  for (let word = words[0]; word !== undefined; word = words[at]) {
    if (word === '--json' || word.startsWith('--coordinator=')) at += 1;
    else if (word === '--coordinator') at += 2;
    else break;
  }
  return at < words.length
    ? { leading: words.slice(0, at), others: words.slice(at) }
    : { leading: [], others: [...words] };
}

const isHelp = (word: string): boolean => word === '--help' || word === '-h';

/** Prints the help of a verb, of a group of verbs, or of the command. */
async function help(words: readonly string[], { out, columns }: Context): Promise<number> {
  const { groupHelp, helpWidth, overview, verbHelp } = await import('./arguments/help.ts');
  const wide = helpWidth(columns);
  const about = words.filter((word) => !isHelp(word));
  const [first = '', ...more] = about;
  const group = groupOf(first);
  if (about.length === 0) out(overview(await verbGroups(), wide));
  else if (more.length === 0 && group.length > 0) {
    const verb = await findVerb(first);
    if (verb !== undefined) out(`${verbHelp(verb, wide)}\n`);
    const verbs = (await allVerbs()).filter(({ name }) => group.includes(name));
    out(groupHelp(first, verbs, wide));
  } else out(verbHelp((await verbIn(about)).verb, wide));
  return 0;
}

/** Prints the first steps and what runs. No verb was given, so it fails. */
async function noVerb(context: Context): Promise<number> {
  const { firstLines, helpWidth } = await import('./arguments/help.ts');
  context.out(`${firstLines(context.version, helpWidth(context.columns))}\n`);
  const listed: string[] = [];
  const ls = (await verbIn(['ls'])).verb;
  const collected: Context = { ...context, out: (text) => void listed.push(String(text)) };
  await statusOf(collected, () => ls.run(collected, parseArguments(ls, [])));
  const rows = listed.join('').trimEnd().split('\n');
  const [, ...sessions] = rows;
  const more = sessions.length - shownSessions;
  const rest = more > 0 ? [`… ${more} more: vtr ls`] : [];
  const shown = sessions.length === 0 ? ['No session.'] : rows.slice(0, 1 + shownSessions);
  context.out(`${[...shown, ...rest].join('\n')}\n`);
  return errorTable.INVALID_ARGUMENT.exit;
}

/** The number of sessions that `vtr` alone shows. */
const shownSessions = 10;

/** A verb has one word or two. @throws VtrError INVALID_ARGUMENT that suggests similar verbs */
async function verbIn(words: readonly string[]): Promise<{ verb: Verb; rest: readonly string[] }> {
  for (const length of [2, 1]) {
    const verb = await findVerb(words.slice(0, length).join(' '));
    if (verb === undefined || (length === 1 && !takesWords(verb) && isOfGroup(words))) continue;
    return { verb, rest: words.slice(length) };
  }
  throw await unknownVerb(words);
}

/** Whether the second word should be that of a group, which it is not. */
const isOfGroup = ([first = '', second]: readonly string[]): boolean =>
  groupOf(first).length > 0 && second !== undefined && !second.startsWith('-');

/** The verbs of a group, such as `config`; empty if there is no such group. */
const groupOf = (first: string): string[] =>
  verbNames.filter((name) => name.startsWith(`${first} `));

const firstWords = [...new Set(verbNames.map((name) => name.split(' ')[0] ?? name))];

/** For words that match no verb; the first may still name a group. */
const takesWords = ({ args }: Verb): boolean => Object.keys(args).length > 0;

async function unknownVerb([first = '', second]: readonly string[]): Promise<VtrError> {
  const group = groupOf(first);
  if (group.length === 0) {
    const { foreignVerbs, foreignVerbsOfSession } = await import('./verbs/foreign-verbs.ts');
    const name = first.replace(/^--/, '');
    const isOfSession = second !== undefined && !second.startsWith('-');
    const uses = isOfSession ? { ...foreignVerbs, ...foreignVerbsOfSession } : foreignVerbs;
    const use = Object.hasOwn(uses, name) ? uses[name] : undefined;
    if (use !== undefined) return unknownInstead(first, use);
    const near = nearMisses(first, ['--version', '--help']).filter(() => first.startsWith('--'));
    if (near.length > 0) return unknownInstead(first, `did you mean ${near.join(' or ')}?`);
    const { commandRow } = await import('#wire/tmux/table');
    const isOfTmux = first.includes('-') && commandRow(first) !== null;
    if (isOfTmux) return unknownInstead(first, `as in tmux: vtr tmux ${first}`);
    const isBehind = /^\w/.test(first) && firstWords.includes(second ?? '');
    return unknown(
      first,
      nearMisses(first.toLowerCase(), firstWords),
      isBehind ? `the verb comes first: vtr ${second} ${first}` : 'vtr --help lists the verbs',
    );
  }
  const list = `use ${group.map((name) => `vtr ${name}`).join(', ')}`;
  if (second === undefined) {
    return new VtrError('INVALID_ARGUMENT', `vtr ${first} needs a verb; ${list}`);
  }
  const names = group.map((name) => name.slice(first.length + 1));
  const near = nearMisses(second, names).map((name) => `${first} ${name}`);
  return unknown(`${first} ${second}`, near, list);
}

function unknown(text: string, near: readonly string[], list: string): VtrError {
  const guess = `did you mean ${near.map((name) => `vtr ${name}`).join(' or ')}?`;
  return unknownInstead(text, near.length > 0 ? guess : list);
}

const unknownInstead = (text: string, hint: string): VtrError => {
  const what = /^-[\w-]*$/.test(text) ? `flag ${wordOrQuoted(text)}` : `verb ${quoted(text)}`;
  return new VtrError('INVALID_ARGUMENT', `unknown ${what}; ${hint}`);
};
