import { decodeUtf8 } from '#base';

// Decodes the quoting of `printf %q` in bash and zsh.

const ansiEscapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};

/** A quoted or unquoted part of a word, up to the semicolon that ends the word. */
const part = /\$'((?:[^\\']|\\.)*)'|'([^']*)'|"((?:[^\\"]|\\.)*)"|\\(.)|([^;\\'"$]+|\$)/gsy;

/** Octal and hexadecimal escapes are bytes; the others are characters. */
const ansiEscape =
  /(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+|\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})|\\(.)/gs;

/** Returns the text of the word at the beginning of `text`. A semicolon ends the word. */
export function unquotedWord(text: string): string {
  let word = '';
  part.lastIndex = 0;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    const [, ansi, single, double, escaped, plain] = match;
    word +=
      ansi === undefined
        ? (single ?? unescapedDouble(double) ?? escaped ?? plain)
        : unescapedAnsi(ansi);
  }
  return word;
}

function unescapedDouble(text: string | undefined): string | undefined {
  return text?.replace(/\\([\\"$`])/g, '$1');
}

function unescapedAnsi(text: string): string {
  return text.replace(ansiEscape, (run: string, short?: string, long?: string, letter?: string) => {
    if (letter !== undefined) return ansiEscapes[letter] ?? run;
    const hex = short ?? long;
    if (hex === undefined) return decodeUtf8(bytesOf(run));
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

function bytesOf(run: string): Uint8Array {
  const codes = run.match(/[0-7]{1,3}|x[0-9a-fA-F]{1,2}/g) ?? [];
  return Uint8Array.from(codes, (code) =>
    code.startsWith('x') ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8),
  );
}
