import { describe, expect, it } from 'vitest';
import { counted, exitClause, exitText, oneLine, shortened } from '#model';

describe('words', () => {
  it.each([
    [{ code: 0, signal: null }, 'exited 0', 'exited with status 0'],
    [{ code: 137, signal: null }, 'exited 137', 'exited with status 137'],
    [{ code: null, signal: 'SIGKILL' }, 'killed by SIGKILL', 'was killed by SIGKILL'],
  ])('says how a program ended: %j', (status, state, clause) => {
    expect([exitText(status), exitClause(status)]).toEqual([state, clause]);
  });

  it('counts', () => {
    expect([counted(1, 'line'), counted(0, 'line'), counted(2, 'entry', 'entries')]).toEqual([
      '1 line',
      '0 lines',
      '2 entries',
    ]);
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a🙂bc', 3, 'a…'],
  ])('shortens %s to %d', (text, maxLength, short) => {
    expect(shortened(text, maxLength)).toBe(short);
  });

  it('puts text in one line', () => {
    expect(oneLine('a\tb\nc\u061c\u{e0041}')).toBe('a b⏎c');
  });
});
