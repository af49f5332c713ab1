import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { ViewedSession } from '../../../../test/support/tui/viewed-session.ts';

const arbitraryLines = fc
  .array(fc.stringMatching(/^[abAB .]{0,30}$/), { minLength: 1, maxLength: 60 })
  .map((lines) => [...lines, 'end']);
/** Patterns that mean the same in RE2 and in JavaScript. */
const arbitraryPattern = fc.constantFrom(
  'a',
  'ab',
  'b+',
  'a.b',
  '^a',
  'b$',
  '[ab]{3}',
  'A',
  'aB',
  'x',
  '\\.',
  'end',
);

const searched = async (lines: readonly string[], pattern: string, rows = 10) => {
  const size = { cols: 40, rows };
  const earlier = lines.map((line) => `${line}\r\n`).join('');
  const session = new ViewedSession({ size, window: size, earlier });
  await session.press('ctrl+b', '/');
  await session.type(pattern);
  await session.press('enter');
  return session;
};

describe('searching', () => {
  it('finds the lines that a search of the text finds, and visits them in order, around the end', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLines, arbitraryPattern, async (lines, pattern) => {
        const expected = new RegExp(pattern, pattern === pattern.toLowerCase() ? 'i' : '');
        const hits = lines.flatMap((line, at) => (expected.test(line) ? [at] : []));
        const session = await searched(lines, pattern);
        const search = () => session.state.scroll?.search ?? expect.fail();
        expect(search().lines).toEqual(hits);
        expect(search().isDone).toBe(true);
        const visited: (number | null)[] = [];
        for (let count = 0; count < hits.length; count++) {
          visited.push(search().current);
          expect(session.state.scroll?.cursor.line).toBe(search().current);
          await session.press('n');
        }
        expect(visited).toEqual(hits.toReversed());
        // Once around, and back.
        expect(search().current).toBe(hits.at(-1) ?? null);
        if (hits.length === 0) return;
        await session.press('N');
        expect(search().current).toBe(hits[0]);
      }),
      runs(60),
    );
  });

  it('highlights every match that is seen', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLines, arbitraryPattern, async (lines, pattern) => {
        const session = await searched(lines, pattern, 100);
        const flags = pattern === pattern.toLowerCase() ? 'gi' : 'g';
        session
          .picture()
          .rows.slice(0, lines.length)
          .forEach((row, at) => {
            const line = lines[at] ?? '';
            const cols = [...line.matchAll(new RegExp(pattern, flags))].flatMap(
              ({ index, 0: text }) =>
                Array.from({ length: text.length }, (_, offset) => index + offset),
            );
            const inverse = row.flatMap(({ style }, col) => (style.inverse ? [col] : []));
            expect(inverse).toEqual(cols);
          });
      }),
      runs(30),
    );
  });

  it('says how many there are, that it is around the end, and why a pattern is refused', async () => {
    const lines = Array.from({ length: 1000 }, (_, at) => (at % 100 === 50 ? 'a needle' : 'hay'));
    const session = await searched(lines, 'needle');
    const shown = () => session.rows().at(-1);
    expect(shown()).toContain('?needle 10 of 10');
    await session.press('n', 'n');
    expect(shown()).toContain('?needle 8 of 10');
    expect(session.rows().some((row) => row === 'a needle')).toBe(true);
    await session.press('g', 'n');
    expect(shown()).toContain('· wrapped');
    await session.press('/');
    await session.type('(');
    await session.press('enter');
    expect(shown()).toContain('not a pattern: missing closing )');
    await session.press('/');
    await session.type('nothing');
    await session.press('enter');
    expect(shown()).toContain('not found: nothing');
  });
});
