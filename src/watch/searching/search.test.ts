import { describe, expect, it, vi } from 'vitest';
import { encodeUtf8 } from '#base';
import type { LineFinder, LineScan, SearchRequest } from '#model';
import { searchLines } from '#watch';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const linesOfScan = 3;

/** The lines of a session; the first `dropped` are no longer kept. */
function lines(texts: readonly string[], dropped = 0, onScan = () => {}) {
  const terminal = {
    revision: 7,
    firstLine: dropped,
    endLine: texts.length,
    scanLines(from: number, to: number, find: LineFinder): LineScan {
      onScan();
      const first = Math.max(from, this.firstLine);
      const end = Math.min(to, first + linesOfScan);
      for (let line = first; line < end; line++) {
        const bytes = encodeUtf8(`${texts[line]}\n`);
        if (find(bytes, 0, bytes.length) >= 0) return { line, mayMatch: true };
      }
      return { line: Math.max(first, end), mayMatch: false };
    },
  };
  return {
    terminal,
    *lineTexts(from: number, to: number) {
      for (let line = Math.max(from, terminal.firstLine); line < to; line++) {
        yield { line, text: texts[line] ?? '' };
      }
    },
  };
}

const poem = ['one', 'two', 'three', 'one more', 'five', '', 'seven ones'];

const search = (request: SearchRequest, texts = poem, dropped = 0) =>
  searchLines(lines(texts, dropped), request, new VirtualClock());

describe('searchLines', () => {
  it('returns line numbers and positions, oldest line first', async () => {
    expect(await search({ pattern: 'one' })).toEqual({
      revision: 7,
      firstLine: 0,
      lostLines: 0,
      matches: [
        { line: 0, text: 'one', start: 0, end: 3, before: [], after: [] },
        { line: 3, text: 'one more', start: 0, end: 3, before: [], after: [] },
        { line: 6, text: 'seven ones', start: 6, end: 9, before: [], after: [] },
      ],
      truncated: false,
    });
  });

  it('ignores lines that are no longer kept', async () => {
    const { firstLine, matches } = await search({ pattern: '^one' }, poem, 2);
    expect([firstLine, matches.map(({ line }) => line)]).toEqual([2, [3]]);
  });

  it('returns the context of each match, even if it contains matches', async () => {
    const { matches } = await search({ pattern: 'o', before: 2, after: 1 });
    expect(matches.map(({ before, text, after }) => [...before, `>${text}`, ...after])).toEqual([
      ['>one', 'two'],
      ['one', '>two', 'three'],
      ['two', 'three', '>one more', 'five'],
      ['five', '', '>seven ones'],
    ]);
  });

  it('stops after maxMatches, with the context of the last, and reports it', async () => {
    const cut = await search({ pattern: 'one', maxMatches: 1, after: 3 });
    expect(cut.matches).toMatchObject([{ line: 0, after: ['two', 'three', 'one more'] }]);
    expect(cut.truncated).toBe(true);
    expect((await search({ pattern: 'one', maxMatches: 3 })).truncated).toBe(false);
    const many = await search({ pattern: 'x' }, Array(101).fill('x'));
    expect([many.matches.length, many.truncated]).toEqual([100, true]);
  });

  it.each([
    ['^$', [5]],
    ['(?i)ONE$', [0]],
    ['nothing', []],
  ])('supports RE2: %s', async (pattern, expected) => {
    const { matches } = await search({ pattern });
    expect(matches.map(({ line }) => line)).toEqual(expected);
  });

  it.each<[Partial<SearchRequest>, string, RegExp]>([
    [{ pattern: '(' }, 'INVALID_PATTERN', /RE2/],
    [{ before: -1 }, 'INVALID_ARGUMENT', /before is -1; .*at least 0/],
    [{ after: 0.5 }, 'INVALID_ARGUMENT', /after is 0.5/],
    [{ maxMatches: 0 }, 'INVALID_ARGUMENT', /maxMatches is 0; .*at least 1/],
    [{ maxMatches: Number.NaN }, 'INVALID_ARGUMENT', /maxMatches is NaN/],
  ])('rejects %j with %s', async (request, code, says) => {
    await expect(search({ pattern: 'x', ...request })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(says),
    });
  });

  it('yields between slices, and can be cancelled there', async () => {
    const clock = new VirtualClock();
    let scans = 0;
    const searched = lines(Array(100).fill('x'), 0, () => {
      scans++;
      clock.stall(1);
    });
    const cancel = new AbortController();
    const request = { pattern: 'y', signal: cancel.signal };
    const searching = searchLines(searched, request, clock);
    expect([clock.pending, scans]).toEqual([1, 2]);
    clock.settleIo();
    await vi.waitFor(() => expect([clock.pending, scans]).toEqual([1, 4]));
    cancel.abort();
    clock.settleIo();
    await expect(searching).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(clock.pending).toBe(0);
  });

  it('continues with the lines kept if lines are dropped meanwhile', async () => {
    const clock = new VirtualClock();
    const texts = Array.from({ length: 40 }, (_, line) => `line ${line}`);
    const searched = lines(texts, 0, () => clock.stall(1));
    const searching = searchLines(searched, { pattern: '[09]$', before: 2 }, clock);
    searched.terminal.firstLine = 29;
    const settling = setInterval(() => clock.settleIo());
    const { firstLine, matches } = await searching.finally(() => clearInterval(settling));
    expect([firstLine, matches.map(({ line, before }) => [line, before])]).toEqual([
      0,
      [
        [0, []],
        [29, []],
        [30, ['line 29']],
        [39, ['line 37', 'line 38']],
      ],
    ]);
  });
});
