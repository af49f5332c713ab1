import { nearMisses } from '#base';
import { shortened } from '#model';
import { checkPattern } from '#watch';
import type { Place } from './commands.ts';

/** The most characters of a word in a message: a file that is not a tape may have words of any length. */
const maxShown = 60;

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** Reads the tokens of a tape as the parts of commands. Its errors say what is allowed instead. */
export class TokenReader {
  readonly #file: string;
  readonly #lines: readonly string[];
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#lines = text.split('\n');
    this.#tokens = tokensOf(text);
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  get isAtEnd(): boolean {
    return this.next.type === 'end';
  }

  get place(): Place {
    const { line, column } = this.next;
    return { file: this.#file, line, column };
  }

  /** The line of the tape on which the next token is, from that token on. */
  get restOfLine(): string {
    const { line, column } = this.next;
    return (this.#lines[line - 1] ?? '').slice(column - 1).trimEnd();
  }

  /** Whether the next token is on the line of the one before. */
  get isOnSameLine(): boolean {
    return this.#tokens[this.#at - 1]?.line === this.next.line;
  }

  take(): Token {
    const token = this.next;
    if (token.open) throw this.wrong(`the ${token.type} has no end on its line`);
    if (token.type !== 'end') this.#at++;
    return token;
  }

  /** Takes the next token if it is this symbol or word. */
  takes(text: string): boolean {
    const { type, text: own } = this.next;
    if (own !== text || (type !== 'symbol' && type !== 'word')) return false;
    this.#at++;
    return true;
  }

  /** Goes to the first token after a line, to read on after an error in it. */
  skipLine(line: number): void {
    while (!this.isAtEnd && this.next.line === line) this.#at++;
  }

  /** An error at the next token. */
  wrong(message: string): TapeError {
    return new TapeError(this.place, message);
  }

  expected(what: string, example: string): TapeError {
    const { type, text } = this.next;
    const quote = type === 'string' ? 'the string ' : '';
    const isMissing = type === 'end' || !this.isOnSameLine;
    const actual = isMissing ? 'the end of the line' : `${quote}${shortened(text, maxShown)}`;
    const message = `expected ${what} instead of ${actual}, for example: ${example}`;
    return isMissing ? new TapeError(this.#lineEnd, message) : this.wrong(message);
  }

  /** The end of the line of the token before the next one. */
  get #lineEnd(): Place {
    const { line } = this.#tokens[this.#at - 1] ?? this.next;
    const column = (this.#lines[line - 1] ?? '').trimEnd().length + 1;
    return { file: this.#file, line, column };
  }

  /** @throws TapeError that names similar words */
  unknown(kind: string, word: string, names: readonly string[]): TapeError {
    const near = nearMisses(word, names);
    const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use ${names.join(', ')}`;
    return this.wrong(`there is no ${kind} ${shortened(word, maxShown)}; ${hint}`);
  }

  text(what: string, example: string): string {
    const { type } = this.next;
    if ((type === 'word' || type === 'string') && this.isOnSameLine) return this.take().text;
    throw this.expected(what, example);
  }

  number(what: string, example: string): number {
    const { type, text } = this.next;
    const value = Number(text);
    if (type !== 'number' || !this.isOnSameLine || Number.isNaN(value)) {
      throw this.expected(what, example);
    }
    this.#at++;
    return value;
  }

  wholeNumber(what: string, example: string): number {
    if (this.next.type !== 'number' || /^\d+$/.test(this.next.text)) {
      return this.number(what, example);
    }
    throw this.expected(what, example);
  }

  isNumber(): boolean {
    return this.next.type === 'number' && this.isOnSameLine;
  }

  /** A time in ms: a number of seconds, or with a unit. */
  time(example: string): number {
    const value = this.number('a time', example);
    const unit = this.next.type === 'word' ? unitMs[this.next.text] : undefined;
    if (unit === undefined || !this.isOnSameLine) return value * 1000;
    this.#at++;
    return value * unit;
  }

  /** `@TIME`, in ms; null if there is none. */
  optionalTime(example: string): number | null {
    return this.takes('@') ? this.time(example) : null;
  }

  isRegex(): boolean {
    return this.next.type === 'regex' && this.isOnSameLine;
  }

  regex(example: string): string {
    if (!this.isRegex()) throw this.expected('a regular expression', example);
    return this.checkedRegex();
  }

  /** A regular expression between slashes or in a string. */
  checkedRegex(): string {
    const before = this.#at;
    const { text } = this.take();
    try {
      checkPattern(text);
    } catch (error) {
      this.#at = before;
      throw this.wrong((error as Error).message);
    }
    return text;
  }
}

/** A token of a tape. Comments are none. */
export interface Token {
  /** A `word` is a name or a path without quotes; a `symbol` is one character. */
  readonly type: 'word' | 'string' | 'number' | 'regex' | 'json' | 'symbol' | 'end';
  /** The content of a string or regular expression, without its delimiters. */
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in characters. */
  readonly column: number;
  /** Set for a string or regular expression without its closing delimiter. */
  readonly open?: true;
}

type Rule = readonly [type: Token['type'] | null, pattern: RegExp];

/**
 * The first that matches counts. A word begins with a letter or a dot, and may be a path. Strings know
 * no escapes; in a regular expression, a backslash keeps the next character. After `+`, any single
 * character is a key.
 */
const rules: readonly Rule[] = [
  [null, /\s+/y],
  ['symbol', /(?<=\+)\S(?=[\s+]|$)/uy],
  [null, /#.*/y],
  ['string', /"([^"\r\n]*)("?)|'([^'\r\n]*)('?)|`([^`\r\n]*)(`?)/y],
  ['regex', /\/((?:\\.|[^/\\\r\n])*)(\/?)/y],
  ['json', /\{[^}]*\}?/y],
  ['number', /\d[\d.]*|\.\d[\d.]*/y],
  ['word', /[A-Za-z.][\w.%/-]*/y],
  ['symbol', /[\s\S]/uy],
];

/** Returns the tokens of a tape; the last one is `end`. */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < text.length; ) {
    const { type, match } = firstRule(text, at);
    if (type !== null) {
      tokens.push({ type, ...content(type, match), line, column: at - lineStart + 1 });
    }
    const [whole] = match;
    for (const { index } of whole.matchAll(/\n/g)) {
      line++;
      lineStart = at + index + 1;
    }
    at += whole.length;
  }
  tokens.push({ type: 'end', text: '', line, column: text.length - lineStart + 1 });
  return tokens;
}

function firstRule(text: string, at: number) {
  for (const [type, pattern] of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) return { type, match };
  }
  throw new Error('the last rule matches any character');
}

function content(type: Token['type'], match: RegExpExecArray): Pick<Token, 'text' | 'open'> {
  const [whole, ...groups] = match;
  if (type !== 'string' && type !== 'regex') return { text: whole };
  const [text = '', end = ''] = groups.filter((group) => group !== undefined);
  return { text, ...(end === '' && { open: true }) };
}

/** A mistake in a tape, with its place. */
export class TapeError extends Error {
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }

  /** As compilers print it, for editors: `demo.tape:3:5: message`. */
  override toString(): string {
    const { file, line, column } = this.place;
    return `${file}:${line}:${column}: ${this.message}`;
  }
}
