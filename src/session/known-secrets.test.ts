import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import type { TerminalModes } from '#pty';
import { KnownSecrets, TypedSecrets } from './known-secrets.ts';

describe('known secrets', () => {
  test('what output shows is bounded, and displaces neither what was given nor what was typed', () => {
    const secrets = new KnownSecrets(['given value']);
    let learned = 0;
    secrets.onLearned = () => learned++;
    secrets.typed('typed value');
    secrets.typed('typed value');
    secrets.typed('short');
    expect([learned, secrets.version]).toEqual([1, 1]);
    for (let number = 0; number < 1000; number++) secrets.learnShown(`secret ${number}`);
    for (let number = 0; number < 10; number++) secrets.learnShown(`${number}`.repeat(20_000));
    const { typed, seen } = secrets.learned;
    expect(typed).toEqual(['typed value']);
    expect(seen.map(({ length }) => length)).toEqual([20_000, 20_000, 20_000]);
    expect([...secrets]).toEqual(['given value', 'typed value', ...seen]);
    expect([...new KnownSecrets(['given value'], secrets.learned)]).toEqual([...secrets]);
    expect([...new KnownSecrets()]).toEqual([]);
  });

  test('the oldest of too many is forgotten first', () => {
    const secrets = new KnownSecrets();
    for (let number = 1000; number < 2000; number++) secrets.learnShown(`secret ${number}`);
    expect(secrets.learned.seen).toHaveLength(256);
    expect(secrets.learned.seen.at(-1)).toBe('secret 1999');
  });
});

describe('typed secrets', () => {
  const hidden: TerminalModes = { canonical: true, echo: false };
  const shown: TerminalModes = { canonical: true, echo: true };
  /** The modes that line editors and full-screen programs set. */
  const edited: TerminalModes = { canonical: false, echo: false };

  type Input = readonly [text: string, before: TerminalModes, after: TerminalModes];

  test.each<readonly [string, readonly Input[], readonly string[]]>([
    ['a line', [['secret\r', hidden, shown]], ['secret']],
    [
      'a line in keys',
      ['p', 'w', '\x7f', '\x7f', 'ok', '\n'].map((key) => [key, hidden, hidden]),
      ['ok'],
    ],
    ['a line without a line end', [['secret\x04', hidden, hidden]], ['secret']],
    ['a line that was erased', [['oops\x15secret\r', hidden, shown]], ['secret']],
    [
      'an interrupted line',
      [
        ['oops\x03', hidden, hidden],
        ['ls\r', shown, shown],
      ],
      [],
    ],
    ['what is shown', [['ls\r', shown, shown]], []],
    ['what a line editor reads', [['ls\r', edited, edited]], []],
    ['the line after the one that hides it', [['su\rsecret\r', edited, hidden]], ['secret']],
    ['a line behind the secret', [['secret\rls\r', hidden, shown]], ['secret']],
    [
      'a part, before the program showed input again',
      [
        ['sec', hidden, hidden],
        ['ls\r', shown, shown],
      ],
      [],
    ],
  ])('%s', (_, inputs, expected) => {
    const learned: string[] = [];
    const secrets = new TypedSecrets((line) => learned.push(line));
    for (const [text, before, after] of inputs) secrets.note(encodeUtf8(text), { before, after });
    expect(learned).toEqual(expected);
  });
});
