import { readFileSync } from 'node:fs';
import { nearMisses, quoted, wordOrQuoted } from '#base';
import { isVtrError, VtrError } from '#model';
import type { Input, Verb } from '../verb.ts';
import type { Flag } from './flags.ts';

type Flags = Verb['flags'];
type Parsed = Input<Verb['args'], Flags>;

/**
 * Parses the words after a verb as the verb declares them.
 *
 * @throws VtrError INVALID_ARGUMENT with the problem and the usage
 */
export function parseArguments(verb: Verb, words: readonly string[]): Parsed {
  const end = words.indexOf('--');
  // After `--` come a program's words if the verb declares them, else plain arguments.
  const splits = verb.rest !== undefined && end !== -1;
  const { flags, positionals } = wordsOf(verb, splits ? words.slice(0, end) : words);
  const rest = splits ? words.slice(end + 1) : null;
  const args = argumentsOf(verb, positionals);
  if (verb.needsRest && !rest?.some((word) => word.trim() !== '')) {
    throw misused(verb, withoutRest(verb, rest ?? []));
  }
  return { args, flags: flagsOf(verb.flags, flags), rest };
}

function withoutRest(verb: Verb, words: readonly string[]): string {
  const name = firstOf(verb.rest);
  if (words.length === 0) return `missing ${name}${verb.isCommand ? '' : ' after --'}`;
  const { blankRestHint: hint } = verb;
  return `${name} is empty${hint === undefined ? '' : `; ${hint}`}`;
}

/** `PROGRAM` of `PROGRAM ARGS...`. */
const firstOf = (rest = ''): string => rest.split(' ')[0] ?? '';

function wordsOf(verb: Verb, words: readonly string[]) {
  const syntax = Object.fromEntries(
    Object.entries(verb.flags).map(([name, { value, short }]) => [
      name,
      { takesValue: value !== null, short },
    ]),
  );
  const joined = withNegatives(verb, words);
  const args = joined.map((word, index) => withValue(verb, word, joined[index + 1]));
  try {
    return parseWords(args, syntax);
  } catch (error) {
    if (!(error instanceof WordProblem)) throw error;
    throw misused(verb, flagProblem(verb, error, args));
  }
}

/** Joins a flag and its value where that may begin with `-`: it would be read as another flag. */
function withNegatives({ flags }: Verb, words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1) ?? '';
    const isValue = before.startsWith('--') && flags[before.slice(2)]?.negative === true;
    if (isValue && /^-\d/.test(word)) joined[joined.length - 1] = `${before}=${word}`;
    else joined.push(word);
  }
  return joined;
}

/** In place of an optional value that is omitted. A word of a command line contains no NUL. */
const omitted = '\0';

/** Completes a flag whose optional value is omitted. */
function withValue({ flags }: Verb, word: string, next: string | undefined): string {
  const isBare = word.startsWith('--') && flags[word.slice(2)]?.bare === true;
  return isBare && (next === undefined || next.startsWith('-')) ? `${word}=${omitted}` : word;
}

function flagProblem(
  verb: Verb,
  { flag, isUnknown }: WordProblem,
  words: readonly string[],
): string {
  const { flags } = verb;
  if (!isUnknown) return valueProblem(flags, flag, words);
  const other = verb.otherFlags?.[flag.replace(/^--?/, '')];
  if (other !== undefined) return `unknown flag ${flag}; use ${other}`;
  // As in commands of tmux, and by the name of the argument.
  const argument = flag === '-t' ? 'session' : flag.replace(/^--/, '');
  if (Object.hasOwn(verb.args, argument)) {
    return `unknown flag ${flag}; give ${argument.toUpperCase()} without it`;
  }
  const near = nearMisses(
    flag,
    Object.keys(flags).map((name) => `--${name}`),
  );
  const guess = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  const what = afterDashes(verb);
  return `unknown flag ${wordOrQuoted(flag)}${guess}${what === null ? '' : ` (put ${what} after --)`}`;
}

/** What the word may be if it is no flag; null: nothing else. */
function afterDashes({ args, rest, isCommand }: Verb): string | null {
  // A flag of the program, all words of which come after --.
  if (rest !== undefined && !isCommand) return firstOf(rest);
  const kinds = Object.values(args);
  if (kinds.length === 0) return null;
  const hasText = kinds.some(({ completes }) => completes === undefined);
  return `${hasText ? 'text' : 'a name'} that begins with -`;
}

/** A value is missing, is not allowed, or looks like a flag. */
function valueProblem(flags: Flags, text: string, words: readonly string[]): string {
  const name = Object.keys(flags).find(
    (each) => text === `--${each}` || text === `-${flags[each]?.short}`,
  );
  const value = name === undefined ? null : (flags[name]?.value ?? null);
  if (value === null) return `${text} does not accept a value`;
  const isDashed = words[words.indexOf(text) + 1]?.startsWith('-') === true;
  const hint = isDashed ? `; write --${name}=-... if it begins with -` : '';
  return `${text} needs a value, ${value}${hint}`;
}

function argumentsOf(verb: Verb, positionals: readonly string[]): Parsed['args'] {
  const values: Record<string, string | readonly string[] | undefined> = {};
  const declared = Object.entries(verb.args);
  // An optional argument gets a word only if the required ones after it have theirs.
  let spare = positionals.length - declared.filter(([, { optional }]) => !optional).length;
  let at = 0;
  for (const [name, { optional, many, completes }] of declared) {
    if (optional && !many && spare-- <= 0) {
      values[name] = undefined;
      continue;
    }
    const isMissing = at >= positionals.length;
    if (isMissing && !optional) throw misused(verb, `missing ${name.toUpperCase()}`);
    const words = positionals.slice(at, many ? undefined : at + 1);
    // As a path, it would be the current directory.
    if (completes === 'file' && words.includes('')) {
      throw misused(verb, `${name.toUpperCase()} is empty`);
    }
    values[name] = many ? words : words[0];
    at = many ? positionals.length : at + 1;
  }
  if (at < positionals.length) {
    throw misused(verb, `unexpected argument ${quoted(positionals[at])}${hintForMore(verb)}`);
  }
  return values as Parsed['args'];
}

/** What is to be done with words that are more than a verb takes; empty if nothing is known. */
function hintForMore({ args, rest }: Verb): string {
  if (rest !== undefined) return `; put ${firstOf(rest)} after --`;
  const last = Object.keys(args).at(-1) ?? '';
  const isText = ['text', 'option', 'pattern'].includes(last);
  return isText ? `; put quotes around ${last.toUpperCase()} if it has several words` : '';
}

function flagsOf(flags: Flags, occurrences: readonly GivenFlag[]): Parsed['flags'] {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => {
      const values = occurrences
        .filter((each) => each.name === name)
        .map(({ value }) => String(value));
      return [name, valueFor(name, flag, values)];
    }),
  ) as Parsed['flags'];
}

function valueFor(name: string, flag: Flag<unknown>, values: readonly string[]): unknown {
  if (flag.many) return values.map((each) => read(name, flag, each));
  if (flag.value === null) return values.length > 0;
  const last = values.at(-1);
  return last === undefined ? undefined : read(name, flag, last);
}

function read(name: string, flag: Flag<unknown>, text: string): unknown {
  if (flag.bare && text === omitted) return '';
  try {
    return flag.read(text);
  } catch (error) {
    if (!isVtrError(error)) throw error;
    const shown = wordOrQuoted(text);
    throw new VtrError('INVALID_ARGUMENT', `--${name} ${shown}: ${error.message}`);
  }
}

/** Returns the usage of a verb, such as `vtr send SESSION [TEXT] [flags]`. */
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
    `${problem}\nusage: ${usageOf(verb)}\nhelp: ${commandOf(verb)} --help`,
  );
}

/**
 * Checks the arguments of this process: Node decodes them, and replaces what is not UTF-8 by U+FFFD, which a
 * program would then receive. Only Linux has their bytes; elsewhere nothing is checked.
 *
 * @param words as Node decoded them
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkUtf8(words: readonly string[]): void {
  if (!words.some((word) => word.includes('\ufffd'))) return;
  const bytes = argumentBytes();
  if (bytes === null) return;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const message = 'an argument is not valid UTF-8; send bytes with vtr raw';
    throw new VtrError('INVALID_ARGUMENT', message, { cause: error });
  }
}

function argumentBytes(): Uint8Array | null {
  try {
    return readFileSync('/proc/self/cmdline');
  } catch {
    return null;
  }
}

/** How a flag is written. */
export interface FlagSyntax {
  readonly takesValue: boolean;
  /** One letter. */
  readonly short?: string | undefined;
}

/** A flag as given: its value, or true if it takes none. */
interface GivenFlag {
  readonly name: string;
  readonly value: string | true;
}

export interface ParsedWords {
  readonly flags: readonly GivenFlag[];
  readonly positionals: readonly string[];
}

/** Why words cannot be parsed; `given` is the flag as it was written. */
export class WordProblem extends Error {
  readonly flag: string;
  readonly isUnknown: boolean;

  constructor(text: string, isUnknown: boolean) {
    super(text);
    this.flag = text;
    this.isUnknown = isUnknown;
  }
}

/**
 * Parses the words of a command line as `parseArgs` of Node does, which takes 1 ms to load: `--flag`,
 * `--flag=VALUE`, `--flag VALUE`, `-f`, `-fVALUE`, `-f VALUE` and groups such as `-ab`. Words after `--`
 * are positional. A value in a word of its own does not begin with `-`, unless it is `-`.
 *
 * @throws WordProblem for an unknown flag, a missing value, or one that the flag does not take
 */
export function parseWords(
  words: readonly string[],
  syntax: Readonly<Record<string, FlagSyntax>>,
): ParsedWords {
  const flags: GivenFlag[] = [];
  const positionals: string[] = [];
  let at = 0;
  const take = (text: string, name: string | undefined, joined: string | undefined) => {
    if (name === undefined) throw new WordProblem(text, true);
    const takesValue = syntax[name]?.takesValue === true;
    if (takesValue !== (joined !== undefined) && !(takesValue && hasNext(words, at))) {
      throw new WordProblem(text, false);
    }
    flags.push({ name, value: takesValue ? (joined ?? words[at++] ?? '') : true });
  };
  while (at < words.length) {
    const word = words[at++] ?? '';
    if (word === '--') {
      positionals.push(...words.slice(at));
      break;
    }
    if (word.startsWith('--')) {
      const equals = word.indexOf('=', 3);
      const flag = equals === -1 ? word : word.slice(0, equals);
      const name = flag.slice(2);
      const joined = equals === -1 ? undefined : word.slice(equals + 1);
      take(flag, Object.hasOwn(syntax, name) ? name : undefined, joined);
    } else if (word.startsWith('-') && word !== '-') takeLetters(word, syntax, take);
    else positionals.push(word);
  }
  return { flags, positionals };
}

/** Whether the next word is the value of a flag. */
const hasNext = (words: readonly string[], at: number): boolean => {
  const next = words[at];
  return next !== undefined && (next === '-' || !next.startsWith('-'));
};

/** The flags of a word such as `-ab`. The rest of the word is the value of one that takes a value. */
function takeLetters(
  word: string,
  syntax: Readonly<Record<string, FlagSyntax>>,
  take: (text: string, name: string | undefined, joined: string | undefined) => void,
): void {
  for (let index = 1; index < word.length; index++) {
    const letter = word[index] ?? '';
    const name = Object.keys(syntax).find((each) => syntax[each]?.short === letter);
    const rest = word.slice(index + 1);
    const isValue = name !== undefined && syntax[name]?.takesValue === true && rest !== '';
    take(letter === '-' ? word : `-${letter}`, name, isValue ? rest : undefined);
    if (isValue) return;
  }
}
