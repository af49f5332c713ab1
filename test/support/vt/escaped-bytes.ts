const named: Readonly<Record<string, string>> = { e: '\x1b', r: '\r', n: '\n', t: '\t', s: ' ' };

/** Bytes that are no UTF-8 stand in strings as U+DC80 to U+DCFF, which is no text either. */
const bareByte = 0xdc00;

/**
 * The text that `\e[1;2A` and the like stand for: ESC, CR, LF, TAB, space, `\xHH`, and `\bHH` for
 * a byte that is no UTF-8, which {@link encoded} makes one.
 */
export const unescaped = (text: string): string =>
  text.replace(/\\(?:([xb])([0-9a-f]{2})|(.))/g, (_, kind: string, hex: string, char: string) => {
    if (hex === undefined) return named[char] ?? char;
    return String.fromCharCode(Number.parseInt(hex, 16) + (kind === 'b' ? bareByte : 0));
  });

/** What {@link unescaped} gives, in UTF-8 but for the bytes that are to be none. */
export const encoded = (text: string): Uint8Array =>
  Buffer.concat(
    text
      .split(/([\u{dc80}-\u{dcff}])/u)
      .map((part, index) =>
        index % 2 === 1 ? Buffer.of(part.charCodeAt(0) - bareByte) : Buffer.from(part),
      ),
  );

/** Bytes as they are easiest to read in a failing test. */
export const visible = (sent: Uint8Array | string): string =>
  [...(typeof sent === 'string' ? sent : decoded(sent))]
    .map((char) => (/\p{Cc}|[\u{dc80}-\u{dcff}]/u.test(char) ? visibleControl(char) : char))
    .join('');

/** As UTF-8; where it is none, every byte that is not ASCII by itself. */
function decoded(sent: Uint8Array): string {
  const text = Buffer.from(sent).toString('utf8');
  const byByte = (byte: number) => String.fromCharCode(byte < 0x80 ? byte : bareByte + byte);
  return text.includes('\ufffd') ? Array.from(sent, byByte).join('') : text;
}

function visibleControl(char: string): string {
  const code = char.charCodeAt(0);
  if (char === '\x1b') return '\\e';
  const [kind, byte] = code < bareByte ? ['x', code] : ['b', code - bareByte];
  return `\\${kind}${byte.toString(16).padStart(2, '0')}`;
}
