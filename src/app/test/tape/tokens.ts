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
export function tokensOf(text: string): Token[] {
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
