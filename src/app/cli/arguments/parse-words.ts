/** How a flag is written. */
export interface FlagSyntax {
  readonly takesValue: boolean;
  /** One letter. */
  readonly short?: string | undefined;
}

/** A flag as given: its value, or true if it takes none. */
export interface GivenFlag {
  readonly name: string;
  readonly value: string | true;
}

export interface ParsedWords {
  readonly flags: readonly GivenFlag[];
  readonly positionals: readonly string[];
}

/** Why words cannot be parsed; `given` is the flag as it was written. */
export class WordProblem extends Error {
  readonly given: string;
  readonly isUnknown: boolean;

  constructor(given: string, isUnknown: boolean) {
    super(given);
    this.given = given;
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
  const take = (given: string, name: string | undefined, joined: string | undefined) => {
    if (name === undefined) throw new WordProblem(given, true);
    const takesValue = syntax[name]?.takesValue === true;
    if (takesValue !== (joined !== undefined) && !(takesValue && hasNext(words, at))) {
      throw new WordProblem(given, false);
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
      const given = equals === -1 ? word : word.slice(0, equals);
      const name = given.slice(2);
      const joined = equals === -1 ? undefined : word.slice(equals + 1);
      take(given, Object.hasOwn(syntax, name) ? name : undefined, joined);
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
  take: (given: string, name: string | undefined, joined: string | undefined) => void,
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
