import { decodeUtf8 } from '#base';

// How bash's and zsh's `printf %q` write a text as one word of the shell.

const ansiEscapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};

/** A quoted part of a word, or one that is not, up to the semicolon that ends it. */
const part = /\$'((?:[^\\']|\\.)*)'|'([^']*)'|"((?:[^\\"]|\\.)*)"|\\(.)|([^;\\'"$]+|\$)/gsy;

/** Octal and hexadecimal escapes stand for bytes, the others for characters. */
const ansiEscape =
  /(?:\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}))+|\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})|\\(.)/gs;

/** The text that a word stands for which begins here; the word ends at a semicolon. */
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
