import { parseArgs } from 'node:util';
import { nearMisses } from '#base';
import { VtrError } from '#model';
import type { Input, Verb } from '../verb.ts';
import type { Flag } from './flags.ts';

type Flags = Verb['flags'];
type Parsed = Input<Verb['args'], Flags>;

/**
 * Reads the words after a verb by what the verb declares.
 *
 * @throws VtrError INVALID_ARGUMENT that says what is wrong and how the verb is used
 */
export function parseArguments(verb: Verb, words: readonly string[]): Parsed {
  const end = words.indexOf('--');
  // Words after `--` are the verb's own where it takes some, and plain arguments elsewhere.
  const splits = verb.rest !== undefined && end !== -1;
  const { values, positionals } = parseWords(verb, splits ? words.slice(0, end) : words);
  const rest = splits ? words.slice(end + 1) : null;
  const args = argumentsOf(verb, positionals);
  if (verb.needsRest && !rest?.some((word) => word.trim() !== '')) {
    throw misused(verb, `${verb.rest} is missing${verb.isCommand ? '' : ' after --'}`);
  }
  return { args, flags: flagsOf(verb.flags, values), rest };
}

type Values = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

function parseWords(verb: Verb, words: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(verb.flags).map(([name, { value, short, many }]) => [
      name,
      {
        type: value === null ? ('boolean' as const) : ('string' as const),
        multiple: many ?? false,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  try {
    const args = words.map((word, index) => withValue(verb, word, words[index + 1]));
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw misused(verb, flagProblem(verb, error as NodeJS.ErrnoException));
  }
}

/** A flag that is given without its value, where that may be. */
function withValue({ flags }: Verb, word: string, next: string | undefined): string {
  const isBare = word.startsWith('--') && flags[word.slice(2)]?.bare === true;
  return isBare && (next === undefined || next.startsWith('-')) ? `${word}=` : word;
}

function flagProblem({ flags }: Verb, { code, message }: NodeJS.ErrnoException): string {
  const [, given = ''] = /'(-[^\s'=,<]*)/.exec(message) ?? [];
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return valueProblem(flags, given);
  const near = nearMisses(
    given,
    Object.keys(flags).map((name) => `--${name}`),
  );
  const guess = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  return `there is no flag ${given}${guess} (text that begins with - goes after --)`;
}

/** Node finds that there is none, that there is one for a switch, or one that looks like a flag. */
function valueProblem(flags: Flags, given: string): string {
  const name = Object.keys(flags).find(
    (each) => given === `--${each}` || given === `-${flags[each]?.short}`,
  );
  const value = name === undefined ? null : (flags[name]?.value ?? null);
  if (value === null) return `${given} takes no value`;
  return `${given} needs a value, ${value}; one that begins with - is written --${name}=-...`;
}

function argumentsOf(verb: Verb, positionals: readonly string[]): Parsed['args'] {
  const values: Record<string, string | readonly string[] | undefined> = {};
  const declared = Object.entries(verb.args);
  // What may be left out is, as long as another argument has to be given.
  let spare = positionals.length - declared.filter(([, { optional }]) => !optional).length;
  let at = 0;
  for (const [name, { optional, many }] of declared) {
    if (optional && !many && spare-- <= 0) {
      values[name] = undefined;
      continue;
    }
    const isMissing = at >= positionals.length;
    if (isMissing && !optional) throw misused(verb, `${name.toUpperCase()} is missing`);
    values[name] = many ? positionals.slice(at) : positionals[at];
    at = many ? positionals.length : at + 1;
  }
  if (at < positionals.length) {
    throw misused(verb, `${JSON.stringify(positionals[at])} is one argument too many`);
  }
  return values as Parsed['args'];
}

function flagsOf(flags: Flags, given: Values): Parsed['flags'] {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, valueFor(name, flag, given[name])]),
  ) as Parsed['flags'];
}

function valueFor(name: string, flag: Flag<unknown>, given: Values[string]): unknown {
  if (flag.many) return [given ?? []].flat().map((each) => read(name, flag, String(each)));
  if (flag.value === null) return given === true;
  return given === undefined ? undefined : read(name, flag, String(given));
}

function read(name: string, flag: Flag<unknown>, given: string): unknown {
  try {
    return flag.read(given);
  } catch (error) {
    if (!(error instanceof VtrError)) throw error;
    const shown = /^\S+$/.test(given) ? given : JSON.stringify(given);
    throw new VtrError('INVALID_ARGUMENT', `--${name} ${shown}: ${error.message}`);
  }
}

/** The words by which a verb is used: `vtr send SESSION [TEXT] [flags]`. */
export function usageOf(verb: Verb): string {
  const { args, flags, rest, needsRest, isCommand } = verb;
  const words = Object.entries(args).map(([word, { optional, many }]) => {
    const shown = `${word.toUpperCase()}${many ? '...' : ''}`;
    return optional ? `[${shown}]` : shown;
  });
  if (Object.keys(flags).length > 0) words.push('[flags]');
  if (isCommand) words.push(rest ?? '');
  else if (rest !== undefined) words.push(needsRest ? `-- ${rest}` : `[-- ${rest}]`);
  return [commandOf(verb), ...words].join(' ');
}

const commandOf = ({ name, isCommand }: Verb): string => (isCommand ? name : `vtr ${name}`);

function misused(verb: Verb, problem: string): VtrError {
  return new VtrError(
    'INVALID_ARGUMENT',
    `${problem}\nusage: ${usageOf(verb)}\nmore: ${commandOf(verb)} --help`,
  );
}
