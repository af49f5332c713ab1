import fc from 'fast-check';
import { expect, test } from 'vitest';
import { literalRule, matcherRule, type SecretRule, tokenRule } from '../index.ts';
import { Redactor } from './redactor.ts';

const literal = 'correct horse battery';
/** What is secret in a text, and how much of it may be written before it is recognized. */
const canaries: readonly (readonly [text: string, secret: string, shown: number])[] = [
  ['AKIAQ3EGTZ5XAMPLEKEY', 'Q3EGTZ5XAMPLEKEY', 0],
  ['ghp_0123456789abcdefghijABCDEFGHIJ456789', '0123456789abcdefghijABCDEFGHIJ456789', 0],
  ['sk-ant-api03-Qm9ndXMta2V5LWZvci10ZXN0cw', 'ant-api03-Qm9ndXMta2V5LWZvci10ZXN0cw', 0],
  ['Authorization: Bearer abcdefghijklmnop.qrs', 'abcdefghijklmnop.qrs', 0],
  ['postgres://app:tr0ub4dor@db.example/app', 'tr0ub4dor', 0],
  ['DB_PASSWORD=hunter2!', 'hunter2!', 0],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl', 'hbGciOiJIUzI1NiJ9', 0],
  [
    '-----BEGIN RSA PRIVATE KEY-----\r\nMIIEow\r\nIBAAKC\r\n-----END RSA PRIVATE KEY-----',
    'MIIEow',
    0,
  ],
  [literal, literal, 3],
  ['ticket VTR-1234567 is open', 'VTR-1234567', 0],
];

const ticket = matcherRule({
  *matches(text) {
    for (const { index, 0: match } of text.matchAll(/VTR-\d{7}/g)) {
      yield { from: index, to: index + match.length };
    }
  },
});
const rules: readonly SecretRule[] = [tokenRule, literalRule([literal, 'short']), ticket];

/** Returns the released text. */
function redact(pieces: readonly string[]): string {
  const redactor = new Redactor(rules);
  return pieces.map((text) => redactor.push(text)).join('') + redactor.end();
}

const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 12 });
const pieces = (text: string, at: readonly number[]): string[] => {
  const places = [0, ...at.map((each) => each % (text.length + 1)), text.length];
  places.sort((a, b) => a - b);
  return places.slice(1).map((to, index) => text.slice(places[index], to));
};

const still = fc.constantFrom('\x1b[1;31m', '\x1b[m', '\x1b[K', '\x1b[?25l', '\x1b]0;title\x07');
/** Puts sequences between the characters of a text. */
const coloured = (text: string, at: readonly number[], sequences: readonly string[]): string =>
  pieces(text, at)
    .map((piece, index) => piece + (sequences[index % sequences.length] ?? ''))
    .join('');

const stripped = (text: string): string =>
  text.replace(/\x1b\[[\d;?]*[a-zA-Z]|\x1b\][^\x07]*\x07/g, '');

test.each(canaries)(
  'the secret in %j is replaced, however it is cut and coloured',
  (text, secret, shown) => {
    fc.assert(
      fc.property(
        cuts,
        cuts,
        fc.array(still, { minLength: 1, maxLength: 5 }),
        (cut, at, sequences) => {
          const whole = `before ${coloured(text, at, sequences)} after\r\n`;
          const redacted = redact(pieces(whole, cut));
          expect(redacted).toHaveLength(whole.length);
          expect(stripped(redacted)).not.toContain(secret.slice(shown, shown + 4));
          expect(stripped(redacted)).toContain('after');
        },
      ),
    );
  },
);

test('text without secrets is not changed', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab \r\n\x1b[;m31KH]0\x07-:/@é🎉ghp_') });
  fc.assert(
    fc.property(fc.array(text), (list) => {
      expect(redact(list)).toBe(list.join(''));
    }),
  );
});

test('text is released at once unless it may be the beginning of a secret', () => {
  const redactor = new Redactor([tokenRule, literalRule([literal])]);
  expect(redactor.push('$ ls -l\r\ntotal 4\r\n')).toBe('$ ls -l\r\ntotal 4\r\n');
  expect(redactor.push('token: ghp_')).toBe('token: ghp_');
  expect(redactor.push('0123')).toBe('');
  expect(redactor.push(' is short ')).toBe('0123 is short ');
});

test('titles and what is copied to the clipboard are redacted', () => {
  const title = '\x1b]0;ssh ghp_0123456789abcdefghijABCDEFGHIJ456789\x07';
  expect(redact([title.slice(0, 20), title.slice(20)])).toMatch(/^\x1b\]0;ssh ghp_•+\x07$/);
  expect(redact(['\x1b]52;c;c2VjcmV0\x07'])).toBe('\x1b]52;c;••••••••\x07');
});

test('secrets that a shell encodes in its marks and in its directory are redacted', () => {
  const values = [literalRule(['zebra;100% é🎉/+=']), tokenRule];
  const encoded = 'zebra%3B100%25%20%C3%A9%F0%9F%8E%89/%2B%3D';
  const outputs = [
    [`\x1b]133;C;cmdline_url=echo%20${encoded};nonce=1.2.3\x07`, encoded],
    [`\x1b]7;file://host/tmp/${encoded}/x#nonce=1.2.3\x07`, encoded],
    ['\x1b]133;C;cmdline_url=git%20clone%20https%3A//me%3Atr0ub4dor%40host/a\x07', 'tr0ub4dor'],
    // The last byte of a character is missing.
    [`\x1b]7;file:///%c3%28${encoded}%F0%9F%8E\x07`, encoded],
  ] as const;
  for (const [output, secret] of outputs) {
    const redactor = new Redactor(values);
    const redacted = redactor.push(output) + redactor.end();
    expect(redacted).toBe(output.replace(secret, '•'.repeat(secret.length)));
  }
});

test('common words are no secrets', () => {
  const text =
    'task-management-system-of-the-disk-cache https://host:8080/x SECRETS and TOKEN= ok\n';
  expect(redact([text])).toBe(text);
});

test('any output takes time in proportion to its length', () => {
  const length = 60_000;
  const floods = [
    ...['\x9d', '\x9dx\x1b', '\x90', '\x1b[', '\x9b0', '\x1b ', '-', '-----BEGIN ', 'a', '://'],
    ...['TOKEN', 'TOKEN=', 'sk-', 'aa://', '://:', 'a://b:', 'Bearer ', 'eyJ', 'A_KEY=abcd\x1b[m'],
  ];
  for (const flood of floods) {
    const text = flood.repeat(length / flood.length);
    for (const end of [' ', '!', '\x07']) {
      const whole = `TOKEN://${text}${end}`;
      expect(redact([whole, 'x'])).toHaveLength(whole.length + 1);
    }
  }
});
