const named: Readonly<Record<string, string>> = { e: '\x1b', r: '\r', n: '\n', t: '\t', s: ' ' };

/** The text that `\e[1;2A` and the like stand for: ESC, CR, LF, TAB, space and `\xHH`. */
export const unescaped = (text: string): string =>
  text.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string | undefined, char: string) =>
    hex === undefined ? (named[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** Bytes as they are easiest to read in a failing test. */
export const visible = (sent: Uint8Array | string): string =>
  [...(typeof sent === 'string' ? sent : Buffer.from(sent).toString('utf8'))]
    .map((char) => (/\p{Cc}/u.test(char) ? visibleControl(char) : char))
    .join('');

const visibleControl = (char: string): string =>
  char === '\x1b' ? '\\e' : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
