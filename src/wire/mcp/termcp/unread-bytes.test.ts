import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { UnreadBytes } from './unread-bytes.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const plenty = 1_000_000;
const raw = (maxBytes = plenty) => new UnreadBytes({ strip: false, maxBytes });
const stripped = () => new UnreadBytes({ strip: true, maxBytes: plenty });

/** Reads in answers of this many bytes. */
function readAll(unread: UnreadBytes, maxBytes = 1024): string {
  let read = '';
  while (unread.has('s')) read += unread.take('s', maxBytes).text;
  return read;
}

/** Reads bytes that were added in two chunks. */
function readCut(unread: UnreadBytes, whole: Uint8Array, cut: number): string {
  unread.add('s', whole.subarray(0, cut));
  const first = readAll(unread);
  unread.add('s', whole.subarray(cut));
  return first + readAll(unread);
}

const sequences = [
  '\u001b]0;Ü title\u0007',
  '\u001b]8;;x\u001b\\',
  '\u009d2;by C1\u009c',
  '\u001b[1;31m',
  '\u001b[?2004h',
  '\u009b38;5;9m',
  '\u001bP+q544e\u001b\\',
  '\u001b_kitty\u001b\\',
  '\u001b(B',
  '\u001b7',
  '\u001b=',
  '\u001bc',
];

describe('UnreadBytes', () => {
  it('removes a command in two chunks, wherever it is split', () => {
    const whole = bytes('a\u001b]0;Ü title\u0007b\u001b]8;;x\u001b\\c\u001b[1m');
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(readCut(raw(), whole, cut), `cut at ${cut}`).toBe('abc\u001b[1m');
    }
  });

  it('[S4.08] removes any sequence if configured, in any number of chunks', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom(...sequences), fc.constantFrom('a', 'é€', '😀 °')),
    );
    const property = fc.property(pieces, fc.array(fc.nat({ max: 7 })), (parts, cuts) => {
      const whole = bytes(parts.join(''));
      const unread = stripped();
      let read = '';
      let at = 0;
      for (const length of [...cuts, whole.length]) {
        unread.add('s', whole.subarray(at, at + length));
        at += length;
        read += readAll(unread, 1024);
      }
      expect(read).toBe(parts.filter((part) => !sequences.includes(part)).join(''));
    });
    fc.assert(property, runs(500));
  });

  it('a string ends where another sequence begins', () => {
    const unread = stripped();
    unread.add('s', bytes('a\u001b]0;never ends\u001b[1mb\u001bPnor this\u001b[0mc'));
    expect(readAll(unread)).toBe('abc');
  });

  it('splits no character between answers', () => {
    for (const maxBytes of [4, 5, 6, 7, 8]) {
      const unread = raw();
      unread.add('s', bytes('aä€😀'.repeat(10)));
      expect(readAll(unread, maxBytes)).toBe('aä€😀'.repeat(10));
    }
  });

  it('holds back at most the length limit of a command', () => {
    const unread = raw();
    unread.add('s', bytes(`\u001b]${'x'.repeat(10_000)}`));
    expect(unread.has('s')).toBe(true);
  });

  it('[S4.09] keeps the limit, drops and counts the oldest bytes, and begins with a character', () => {
    const unread = raw(10);
    expect(unread.add('s', bytes('0123456'))).toBe(0);
    expect(unread.add('s', bytes('789ab'))).toBe(2);
    expect(readAll(unread)).toBe('23456789ab');
    expect(unread.add('s', bytes('€'.repeat(5)))).toBe(6);
    expect(readAll(unread)).toBe('€€€');
  });

  it('returns the end of the rest, and then has nothing', () => {
    const unread = raw();
    unread.add('s', bytes('one two€'));
    expect(unread.takeEnd('s', 4)).toBe('o€');
    expect(unread.has('s')).toBe(false);
    expect(unread.takeEnd('s', 5)).toBe('');
  });

  it.each([['\u001b]', '\u009d', '\u0090', '\u001b[', '\u001bP', '\u001b ']])(
    'takes time in proportion to what comes, whatever it is',
    (...starts) => {
      for (const start of starts) {
        const unread = stripped();
        const flood = bytes(start.repeat(300_000));
        unread.add('s', flood);
        unread.add('s', flood);
        expect(unread.take('s', 1024).leftBytes).toBeLessThanOrEqual(plenty);
      }
    },
  );
});
