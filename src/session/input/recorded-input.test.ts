import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeUtf8, encodeUtf8, ignored } from '#base';
import type { TerminalModes } from '#pty';
import { runs } from '../../../test/support/run/runs.ts';
import { RecordedInput } from './recorded-input.ts';

const modes = fc.constantFrom<TerminalModes | null>(
  { canonical: true, echo: true },
  { canonical: false, echo: false },
  { canonical: true, echo: false },
  null,
);
const isKnown = (of: TerminalModes | null | undefined) => of != null && !(of.canonical && !of.echo);

test('input keeps its order, and is told if no password could be read before or after it', async () => {
  const input = fc.record({ before: modes, after: modes, fails: fc.boolean() });
  const property = fc.asyncProperty(fc.array(input), async (inputs) => {
    const written: number[] = [];
    let now: TerminalModes | null = null;
    const recorded = new RecordedInput({ modes: async () => now }, () => false);
    const texts: (string | null)[] = [];
    recorded.listen((bytes) => texts.push(bytes && decodeUtf8(bytes)));
    const expected: (string | null)[] = [];
    for (const [index, { before, after, fails }] of inputs.entries()) {
      now = before;
      const writing = recorded.write(encodeUtf8(String(index)), async () => {
        written.push(index);
        now = after;
        if (fails) throw new Error('not written');
      });
      await ignored(writing, 'some writes must fail');
      expected.push(!fails && isKnown(before) && isKnown(after) ? String(index) : null);
    }
    expect(written).toEqual(inputs.map((_, index) => index));
    expect(texts).toEqual(expected);
  });
  await fc.assert(property, runs(100));
});

test('input that follows without a recording does not overtake what waits for the modes', async () => {
  const written: string[] = [];
  const answers: (() => void)[] = [];
  const reading = new Promise<TerminalModes>((resolve) => {
    answers.push(() => resolve({ canonical: true, echo: true }));
  });
  const recorded = new RecordedInput({ modes: () => reading }, () => false);
  const listening = recorded.listen(() => {});
  const write = (text: string) =>
    recorded.write(encodeUtf8(text), async () => {
      written.push(text);
    });
  const first = write('a');
  listening.dispose();
  const second = write('b');
  expect(written).toEqual([]);
  for (const answer of answers) answer();
  await Promise.all([first, second]);
  await write('c');
  expect(written).toEqual(['a', 'b', 'c']);
});

test.each([
  ['one\ntwo', false, ['one\n', null]],
  ['one\rtwo', false, ['one\r', null]],
  ['one\r', false, ['one\r']],
  ['\x1b[200~one\ntwo\x1b[201~', false, ['\x1b[200~one\ntwo\x1b[201~']],
  ['ione\ntwo', true, ['ione\ntwo']],
])(
  'of the lines in %j those are told that no program can read as a password',
  async (text, isFullScreen, expected) => {
    const canonical = { canonical: true, echo: true };
    const recorded = new RecordedInput({ modes: async () => canonical }, () => isFullScreen);
    const texts: (string | null)[] = [];
    recorded.listen((bytes) => texts.push(bytes && decodeUtf8(bytes)));
    await recorded.write(encodeUtf8(text), async () => {});
    expect(texts).toEqual(expected);
  },
);

test('input is shown if ECHO is on, or a line editor reads it up to the first Enter; else it may be a password', () => {
  const modesOf = fc.record({ echo: fc.boolean(), canonical: fc.boolean() });
  const property = fc.property(
    fc.option(fc.record({ before: modesOf, after: modesOf }), { nil: undefined }),
    fc.boolean(),
    fc.constantFrom('ls', 'ls\r', 'sudo -S ls\rsecret', '\x1b[200~a\rb\x1b[201~'),
    (modes, isEdited, text) => {
      const recorded = new RecordedInput({ modes: async () => null }, () => false);
      const isShown = recorded.isShown(encodeUtf8(text), modes, isEdited);
      if (modes === undefined) expect(isShown).toBe(false);
      else if (modes.before.echo) expect(isShown).toBe(modes.after.echo);
      else {
        const readsPassword = [modes.before, modes.after].some((of) => of.canonical && !of.echo);
        expect(isShown && (!isEdited || readsPassword || text.includes('secret'))).toBe(false);
        if (isEdited && !readsPassword && !text.includes('secret')) expect(isShown).toBe(true);
      }
    },
  );
  fc.assert(property, runs(200));
});
