import { isTrue } from '#format';
import { TextError, TmuxError } from '../tmux-error.ts';

/** The words of one command: its name first. */
export type CommandWords = readonly string[];

/** The commands of one line. One that fails keeps those after it from running. */
export type CommandLine = readonly CommandWords[];

/** Splits the words of a command line at words that are, or end with, `;`. `\;` is a word's own. */
export function commandsInWords(words: readonly string[]): CommandWords[] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (!word.endsWith(';')) commands.at(-1)?.push(word);
    else if (word.endsWith('\\;')) commands.at(-1)?.push(`${word.slice(0, -2)};`);
    else {
      if (word.length > 1) commands.at(-1)?.push(word.slice(0, -1));
      commands.push([]);
    }
  }
  return commands.filter((each) => each.length > 0);
}

interface Assigned {
  readonly value: string;
  /** Programs do not get it. */
  readonly hidden: boolean;
}

/** What a text refers to. */
export interface TextContext {
  /** The value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  /** Sets one: `NAME=value`, alone or before a command, or `%hidden NAME=value`. */
  readonly assign: (name: string, variable: Assigned) => void;
  /** Refuses a command that cannot run. @throws TmuxError */
  readonly check: (words: CommandWords) => void;
  /** Expands a format, for `%if`. */
  readonly expand: (format: string) => Promise<string>;
}

/**
 * Parses commands as in a configuration file: words in quotes, `;` and line ends between commands, `{}`
 * around commands as one word, comments, variables, and `%if`.
 *
 * @throws TextError
 */
export async function linesInText(text: string, context: TextContext): Promise<CommandLine[]> {
  const lines = new Map<number, CommandWords[]>();
  const branches: { active: boolean; taken: boolean }[] = [];
  const isActive = () => branches.every(({ active }) => active);
  for (const { line, group, words } of new TextReader(text, context).commands()) {
    const [first = '', condition = ''] = words;
    if (first === '%if') {
      const active = isActive() && isTrue(await context.expand(condition));
      branches.push({ active, taken: active });
    } else if (first === '%elif' || first === '%else') {
      const branch = branches.at(-1);
      if (branch === undefined) throw new TextError(line, `${first} without %if`);
      const isMet = first === '%else' || isTrue(await context.expand(condition));
      branch.active = !branch.taken && isMet;
      branch.taken ||= branch.active;
    } else if (first === '%endif') {
      if (branches.pop() === undefined) throw new TextError(line, '%endif without %if');
    } else if (isActive()) {
      const commands = checked(assigned(words, context), line, context);
      lines.set(group, [...(lines.get(group) ?? []), ...commands]);
    }
  }
  if (branches.length > 0) throw new TextError(1, '%if without %endif');
  return [...lines.values()];
}

/** The words of the first command of a text: what an alias stands for. @throws TextError */
export function firstWords(text: string, variable: TextContext['variable']): CommandWords {
  const [first] = new TextReader(text, { variable }).commands();
  return first?.words ?? [];
}

function checked(
  commands: readonly CommandWords[],
  line: number,
  { check }: TextContext,
): readonly CommandWords[] {
  try {
    for (const words of commands) check(words);
    return commands;
  } catch (error) {
    if (error instanceof TmuxError) throw new TextError(line, error.message);
    throw error;
  }
}

/** Carries out an assignment, alone or before a command. A hidden one stands alone. */
function assigned(words: CommandWords, { assign }: TextContext): CommandWords[] {
  const hidden = words[0] === '%hidden';
  const [first = '', ...command] = hidden ? words.slice(1) : words;
  const [, name, value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(first) ?? [];
  if (name === undefined || (hidden && command.length > 0)) return [words];
  assign(name, { value, hidden });
  return command.length === 0 ? [] : [command];
}

/** Reads the words of a text. */
class TextReader {
  readonly #text: string;
  readonly #context: Pick<TextContext, 'variable'>;
  #at = 0;
  #line = 1;

  constructor(text: string, context: Pick<TextContext, 'variable'>) {
    // A line that ends with a backslash continues.
    this.#text = text.replace(/\\\r?\n/g, '');
    this.#context = context;
  }

  /** Yields the commands and directives, with the number of the line where they begin and of their group. */
  *commands(): Generator<{
    readonly line: number;
    readonly group: number;
    readonly words: CommandWords;
  }> {
    let words: string[] = [];
    let line = 1;
    let group = 1;
    for (;;) {
      this.#skipBlanks();
      const next = this.#text[this.#at];
      const directive = this.#directive();
      if (directive !== null) {
        if (words.length > 0) yield { line, group, words };
        words = [];
        yield { line: this.#line, group, words: directive };
        continue;
      }
      if (next !== undefined && !';\n#'.includes(next)) {
        if (words.length === 0) line = this.#line;
        words.push(this.#word());
        continue;
      }
      if (next === '#') this.#skipComment();
      else this.#at++;
      if (next === '\n') this.#line++;
      if (next === '#') continue;
      if (words.length > 0) yield { line, group, words };
      words = [];
      if (next === '\n') group++;
      if (next === undefined) return;
    }
  }

  /** Reads `%if` and its relatives, which may stand on a line of their own or among commands; null if there is none. */
  #directive(): CommandWords | null {
    const [whole] =
      /^%(?:if|elif|else|endif)(?![^ \t\r\n;])/.exec(this.#text.slice(this.#at, this.#at + 7)) ??
      [];
    if (whole === undefined) return null;
    this.#at += whole.length;
    if (whole === '%else' || whole === '%endif') return [whole];
    this.#skipBlanks();
    return [whole, '\n;'.includes(this.#text[this.#at] ?? '\n') ? '' : this.#word()];
  }

  #skipBlanks(): void {
    while (' \t\r'.includes(this.#text[this.#at] ?? '\n')) this.#at++;
  }

  #skipComment(): void {
    while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at++;
  }

  #word(): string {
    if (this.#text[this.#at] === '{') return this.#braces();
    let word = this.#text[this.#at] === '~' ? this.#home() : '';
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || ' \t\r\n;'.includes(next)) return word;
      this.#at++;
      if (next === "'") word += this.#until("'");
      else if (next === '"') word += this.#quoted();
      else if (next === '\\') word += this.#escape();
      else if (next === '$') word += this.#variable();
      else if (next === '#' && this.#text[this.#at] === '{') word += `#${this.#format()}`;
      else word += next;
    }
  }

  /** A format in a word may contain blanks. */
  #format(): string {
    const from = this.#at;
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const next = this.#text[this.#at];
      if (next === '{') depth++;
      else if (next === '}' && --depth === 0) break;
    }
    this.#at++;
    return this.#text.slice(from, this.#at);
  }

  /** Commands in braces are one word, with their own quotes. */
  #braces(): string {
    const from = ++this.#at;
    let depth = 1;
    for (; this.#at < this.#text.length; this.#at++) {
      const next = this.#text[this.#at];
      if (next === '\\') this.#at++;
      else if (next === "'" || next === '"') this.#skipQuotes(next);
      else if (next === '#' && this.#isComment()) {
        this.#skipComment();
        this.#at--;
      } else if (next === '\n') this.#line++;
      else if (next === '{') depth++;
      else if (next === '}' && --depth === 0) return this.#text.slice(from, this.#at++).trim();
    }
    throw this.#problem('missing }');
  }

  /** Whether a `#` begins a comment: after a blank, and not that of a format. */
  #isComment(): boolean {
    const [before = '', after = ''] = [this.#text[this.#at - 1], this.#text[this.#at + 1]];
    return ' \t\r\n;{'.includes(before) && after !== '{';
  }

  #skipQuotes(quote: string): void {
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === quote) return;
      if (this.#text[this.#at] === '\\' && quote === '"') this.#at++;
    }
  }

  #until(end: string): string {
    // As in tmux, the end of the text ends a string.
    const index = `${this.#text}${end}`.indexOf(end, this.#at);
    const inside = this.#text.slice(this.#at, index);
    this.#at = index + 1;
    this.#line += inside.split('\n').length - 1;
    return inside;
  }

  #quoted(): string {
    // As in tmux, `~` is the home directory also there.
    let inside = this.#text[this.#at] === '~' ? this.#home() : '';
    for (;;) {
      const next = this.#text[this.#at++];
      if (next === undefined || next === '"') return inside;
      if (next === '\n') this.#line++;
      if (next === '\\') inside += this.#escape();
      else if (next === '$') inside += this.#variable();
      else inside += next;
    }
  }

  /** After a backslash. */
  #escape(): string {
    const [octal] = /^[0-3][0-7]{2}/.exec(this.#text.slice(this.#at, this.#at + 3)) ?? [];
    if (octal !== undefined) {
      this.#at += 3;
      return String.fromCharCode(Number.parseInt(octal, 8));
    }
    const [unicode, code = ''] =
      /^(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(this.#text.slice(this.#at, this.#at + 9)) ??
      [];
    if (unicode !== undefined) {
      this.#at += unicode.length;
      const point = Number.parseInt(code || unicode.slice(1), 16);
      const isCharacter = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
      if (!isCharacter) throw this.#problem(`invalid \\${unicode.charAt(0)} argument`);
      return String.fromCodePoint(point);
    }
    const next = this.#text[this.#at++] ?? '';
    return controls[next] ?? next;
  }

  /** After a `$`. */
  #variable(): string {
    const rest = this.#text.slice(this.#at, this.#at + 256);
    const [whole, braced, plain] = /^(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(rest) ?? [];
    if (whole === undefined) {
      if (rest.startsWith('{')) throw this.#problem('invalid environment variable');
      return '$';
    }
    this.#at += whole.length;
    return this.#context.variable(braced ?? plain ?? '') ?? '';
  }

  #home(): string {
    const [whole = '~', user = ''] =
      /^~([^/\s;"']*)/.exec(this.#text.slice(this.#at, this.#at + 256)) ?? [];
    this.#at += whole.length;
    return user === '' ? (this.#context.variable('HOME') ?? '~') : whole;
  }

  #problem(what: string): TextError {
    return new TextError(this.#line, what);
  }
}

const controls: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  s: ' ',
  t: '\t',
  v: '\v',
};
