import { TmuxError } from '../tmux-error.ts';

/** What a command accepts. */
export interface ArgumentRules {
  /** Flags as for getopt(3): a letter, with `:` after it if it has a value. */
  readonly flags: string;
  /** How many words may follow the flags. */
  readonly words: readonly [least: number, most: number];
}

/** The flags and words of one command. */
export class Arguments {
  readonly command: string;
  /** The words after the flags. */
  readonly words: readonly string[];
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(
    command: string,
    words: readonly string[],
    values: ReadonlyMap<string, readonly string[]>,
  ) {
    this.command = command;
    this.words = words;
    this.#values = values;
  }

  /** The flags that were given, with the values of each; empty texts for one without a value. */
  get flags(): Iterable<readonly [flag: string, values: readonly string[]]> {
    return this.#values;
  }

  has(flag: string): boolean {
    return this.#values.has(flag);
  }

  /** The last value of a flag. */
  value(flag: string): string | undefined {
    return this.#values.get(flag)?.at(-1);
  }

  /** All values of a flag, in their order. */
  values(flag: string): readonly string[] {
    return this.#values.get(flag) ?? [];
  }

  /** How often a flag was given. */
  count(flag: string): number {
    return this.#values.get(flag)?.length ?? 0;
  }

  /** Returns a flag's value as a whole number. @throws TmuxError */
  number(flag: string, least: number, most: number): number | undefined {
    const text = this.value(flag);
    return text === undefined ? undefined : wholeNumber(text, least, most, nameOf(flag));
  }
}

const nameOf = (flag: string): string => numberNames[flag] ?? flag;

const numberNames: Readonly<Record<string, string>> = {
  x: 'width',
  y: 'height',
  N: 'repeat count',
  l: 'size',
};

/** @throws TmuxError that says whether the number is invalid, too small or too large */
export function wholeNumber(text: string, least: number, most: number, name: string): number {
  if (!/^\s*[-+]?\d+$/.test(text)) throw new TmuxError(`${name} invalid`);
  const number = Number(text);
  if (number < least) throw new TmuxError(`${name} too small`);
  if (number > most) throw new TmuxError(`${name} too large`);
  return number;
}

/**
 * Splits the words after a command's name into flags and words. Flags end with the first other word, or
 * after `--`.
 *
 * @throws TmuxError
 */
export function parseArguments(
  command: string,
  { flags, words: [least, most] }: ArgumentRules,
  list: readonly string[],
): Arguments {
  const values = new Map<string, string[]>();
  let at = 0;
  for (; at < list.length; at++) {
    const word = list[at] ?? '';
    if (!word.startsWith('-') || word === '-') break;
    if (word === '--') {
      at++;
      break;
    }
    if (readFlags(command, flags, word.slice(1), list[at + 1], values)) at++;
  }
  const words = list.slice(at);
  const problem = (text: string) => new TmuxError(`command ${command}: ${text}`);
  if (words.length < least) throw problem(`too few arguments (need at least ${least})`);
  if (words.length > most) throw problem(`too many arguments (need at most ${most})`);
  return new Arguments(command, words, values);
}

/** Reads the letters of one word. Returns whether the next word is the value of the last one. */
function readFlags(
  command: string,
  rules: string,
  letters: string,
  next: string | undefined,
  values: Map<string, string[]>,
): boolean {
  for (let at = 0; at < letters.length; at++) {
    const flag = letters[at] ?? '';
    const index = rules.indexOf(flag);
    if (index === -1 || flag === ':') {
      throw new TmuxError(`command ${command}: unknown flag -${flag}`);
    }
    const list = values.get(flag) ?? [];
    values.set(flag, list);
    if (rules[index + 1] !== ':') {
      list.push('');
      continue;
    }
    const rest = letters.slice(at + 1);
    if (rest === '' && next === undefined) {
      throw new TmuxError(`command ${command}: -${flag} expects an argument`);
    }
    list.push(rest === '' ? (next ?? '') : rest);
    return rest === '';
  }
  return false;
}
