import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { Terminal } from '#vt';
import { PrintedLines, Rewrites } from './rewrites.ts';

const none = Number.POSITIVE_INFINITY;

describe('rewrites', () => {
  it('are lines printed above the lowest cursor position, except a line that continues', () => {
    const rewrites = new Rewrites();
    rewrites.note(1, 0, 5);
    rewrites.note(2, 5, 9);
    expect(rewrites.topmostAfter(0)).toBe(none);
    rewrites.note(3, 6, 7);
    expect(rewrites.topmostAfter(2)).toBe(6);
    expect(rewrites.topmostAfter(3)).toBe(none);
  });

  it('report the topmost line after each revision', () => {
    const change = fc.record({ first: fc.nat(30), more: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const rewrites = new Rewrites();
        let furthest = 0;
        const noted = changes.map(({ first, more }, revision) => {
          rewrites.note(revision, first, first + more);
          const line = first < furthest ? first : none;
          furthest = Math.max(furthest, first + more);
          return line;
        });
        for (let revision = -1; revision < noted.length; revision++) {
          const after = noted.slice(revision + 1);
          expect(rewrites.topmostAfter(revision)).toBe(Math.min(none, ...after));
        }
      }),
    );
  });

  it('beyond the limit are reported at least as far up as they were', () => {
    const rewrites = new Rewrites();
    rewrites.note(0, 0, 10_000);
    for (let line = 1; line < 5000; line++) rewrites.note(line, line, line);
    expect(rewrites.topmostAfter(4000)).toBeLessThanOrEqual(4001);
    expect(rewrites.topmostAfter(4998)).toBe(4999);
  });

  it.each([
    ['continuing output', 'a\r\nb\r\nc\r\n', 'd\r\n', none],
    ['a continuing line', 'abc', 'def', none],
    ['the last line again', 'a\r\n50%', '\r100%', none],
    ['the line before the cursor', 'a\r\n50%\r\n', '\x1b[A100%\r\n', 1],
    ['a line further up', 'a\r\nb\r\nc', '\x1b[2;1HB\x1b[3;2H', 1],
    ['after the screen was cleared', 'a\r\nb\r\nc', '\x1b[H\x1b[2Jx', 0],
    ['lines that have left the screen since', 'a\r\nb\r\nc', '\x1b[Hx\r\n\n\n\n\n\n\n\ny', 0],
    ['the alternate screen', 'a\r\nb\r\nc', '\x1b[?1049h\x1b[Hx', none],
  ])('%s', (_, before, after, line) => {
    const terminal = new Terminal({ size: { cols: 20, rows: 4 } });
    terminal.feed(encodeUtf8(before));
    const { revision } = terminal;
    terminal.feed(encodeUtf8(after));
    expect(terminal.rewrittenFrom(revision)).toBe(line);
  });

  it.each([
    ['all at once', '\x1b[2J', 7],
    ['from its first row', '\x1b[H\x1b[J', 7],
    ['from the cursor, which is elsewhere', '\x1b[J', none],
    ['while the alternate screen is visible', '\x1b[?1049h\x1b[2J', none],
    ['twice, with text in between', '\x1b[2J\x1b[4;1H\n\n\x1b[2J', 7],
  ])('report the first line of the screen when it was cleared: %s', (_, after, line) => {
    const terminal = new Terminal({ size: { cols: 20, rows: 4 } });
    terminal.feed(encodeUtf8('\n'.repeat(10)));
    const { revision } = terminal;
    terminal.feed(encodeUtf8(after));
    expect([terminal.clearedFrom(revision), terminal.clearedFrom(terminal.revision)]).toEqual([
      line,
      none,
    ]);
  });
});

describe('printed lines', () => {
  /** More entries than a list keeps when it is cleared, and fewer. */
  const counts = fc.constantFrom(3, 5_000, 9_000, 40_000);

  it('keeps the entries of each list, though large lists use released memory again', () => {
    const steps = fc.array(fc.record({ list: fc.nat(2), count: counts }), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (all) => {
        const lists = [0, 1, 2].map(() => ({ lines: new PrintedLines(), begin: 0, count: 0 }));
        for (const [step, { list, count }] of all.entries()) {
          const each = lists[list];
          if (each === undefined) continue;
          each.lines.clear();
          Object.assign(each, { begin: step * 100_000, count });
          for (let at = 0; at < count; at++) each.lines.push(each.begin + at, at, at + 1);
        }
        for (const { lines, begin, count } of lists) {
          expect(lines.count).toBe(count);
          for (const at of [0, count >> 1, count - 1].filter((index) => index >= 0 && count > 0))
            expect([lines.line(at), lines.from(at), lines.to(at)]).toEqual([
              begin + at,
              at,
              at + 1,
            ]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([2 ** 31 - 2, 2 ** 33])('keeps the numbers of lines from %d on', (first) => {
    const lines = new PrintedLines();
    for (let at = 0; at < 4; at++) lines.push(first + at, 0, 1);
    const numbers = [0, 1, 2, 3].map((at) => first + at);
    expect(numbers.map((_, at) => lines.line(at))).toEqual(numbers);
    expect(lines.save()).toEqual(numbers.flatMap((line) => [line, 0, 1]));
  });
});
