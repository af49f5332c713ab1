import { describe, expect, it } from 'vitest';
import { UnreadBytes } from './unread-bytes.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** What is read in answers of so many bytes. */
function readAll(unread: UnreadBytes, maxBytes: number): string {
  let read = '';
  while (unread.has('s')) read += unread.take('s', maxBytes).text;
  return read;
}

describe('UnreadBytes', () => {
  it('takes out a command that comes in two pieces, wherever it is cut', () => {
    const whole = bytes('a\u001b]0;Ü title\u0007b\u001b]8;;x\u001b\\c\u001b[1m');
    for (let cut = 0; cut <= whole.length; cut++) {
      const unread = new UnreadBytes();
      unread.add('s', whole.subarray(0, cut));
      let read = readAll(unread, 1024);
      unread.add('s', whole.subarray(cut));
      read += readAll(unread, 1024);
      expect(read, `cut at ${cut}`).toBe('abc\u001b[1m');
    }
  });

  it('cuts no character between answers', () => {
    for (const maxBytes of [4, 5, 6, 7, 8]) {
      const unread = new UnreadBytes();
      unread.add('s', bytes('aä€😀'.repeat(10)));
      expect(readAll(unread, maxBytes)).toBe('aä€😀'.repeat(10));
    }
  });

  it('holds back no more than a command may be long', () => {
    const unread = new UnreadBytes();
    unread.add('s', bytes(`\u001b]${'x'.repeat(10_000)}`));
    expect(unread.has('s')).toBe(true);
  });
});
