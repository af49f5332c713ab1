const named: Readonly<Record<string, string>> = { e: '\x1b', r: '\r', n: '\n', t: '\t', s: ' ' };

/** Bytes that are not valid UTF-8 are written as U+DC80 to U+DCFF, which are not valid text. */
const bareByte = 0xdc00;

/**
 * Replaces the escapes of a text such as `\e[1;2A`: ESC, CR, LF, TAB, space, `\xHH`, and `\bHH` for a
 * byte that is not valid UTF-8, which {@link encoded} writes.
 */
export const unescaped = (text: string): string =>
  text.replace(/\\(?:([xb])([0-9a-f]{2})|(.))/g, (_, kind: string, hex: string, char: string) => {
    if (hex === undefined) return named[char] ?? char;
    return String.fromCharCode(Number.parseInt(hex, 16) + (kind === 'b' ? bareByte : 0));
  });

/** Encodes the result of {@link unescaped} in UTF-8, except for its invalid bytes. */
export const encoded = (text: string): Uint8Array =>
  Buffer.concat(
    text
      .split(/([\u{dc80}-\u{dcff}])/u)
      .map((part, index) =>
        index % 2 === 1 ? Buffer.of(part.charCodeAt(0) - bareByte) : Buffer.from(part),
      ),
  );

/** Formats bytes for the message of a failing test. */
export const visible = (input: Uint8Array | string): string =>
  [...(typeof input === 'string' ? input : decoded(input))]
    .map((char) => (/\p{Cc}|[\u{dc80}-\u{dcff}]/u.test(char) ? visibleControl(char) : char))
    .join('');

/** Decodes UTF-8; an invalid byte stands for itself. */
function decoded(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8');
  const byByte = (byte: number) => String.fromCharCode(byte < 0x80 ? byte : bareByte + byte);
  return text.includes('\ufffd') ? Array.from(bytes, byByte).join('') : text;
}

function visibleControl(char: string): string {
  const code = char.charCodeAt(0);
  if (char === '\x1b') return '\\e';
  const [kind, byte] = code < bareByte ? ['x', code] : ['b', code - bareByte];
  return `\\${kind}${byte.toString(16).padStart(2, '0')}`;
}
