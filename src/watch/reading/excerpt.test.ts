import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { estimatedTokens, type ReadBudget } from '#model';
import { runs } from '../../../test/support/run/runs.ts';
import { excerpt } from './excerpt.ts';
import { givenLines, keptLines, Stretches } from './stretches.ts';

const lines = (texts: readonly string[], fromLine: number | null = 10) =>
  new Stretches([givenLines(fromLine, texts)]);

const numbered = Array.from({ length: 10 }, (_, index) => `line ${index}`);

describe('excerpt', () => {
  it('returns the whole text if it fits', () => {
    expect(excerpt(lines(['a', 'b']), {})).toEqual({
      head: '',
      tail: 'a\nb',
      omitted: null,
      tokens: 1,
    });
  });

  it.each<[string, ReadBudget, string, string, object]>([
    ['the end', { maxLines: 2 }, '', 'line 8\nline 9', { lines: 8, fromLine: 10, toLine: 18 }],
    [
      'the beginning',
      { maxLines: 2, keep: 'head' },
      'line 0\nline 1',
      '',
      { lines: 8, fromLine: 12, toLine: 20 },
    ],
    [
      'both ends, the odd line first',
      { maxLines: 3, keep: 'both' },
      'line 0\nline 1',
      'line 9',
      { lines: 7, fromLine: 12, toLine: 19 },
    ],
    ['by bytes', { maxBytes: 14 }, '', 'line 8\nline 9', { lines: 8 }],
    ['by bytes, one short', { maxBytes: 12 }, '', 'line 9', { lines: 9 }],
    ['nothing', { maxLines: 0 }, '', '', { lines: 10, bytes: 69, fromLine: 10, toLine: 20 }],
  ])('returns %s', (_what, budget, head, tail, omitted) => {
    expect(excerpt(lines(numbered), budget)).toMatchObject({ head, tail, omitted });
  });

  it('cuts a single long line between characters', () => {
    const line = '😀'.repeat(10);
    expect(excerpt(lines([line]), { maxBytes: 11 })).toMatchObject({
      tail: '😀😀',
      omitted: { lines: 1, bytes: 32, fromLine: 10, toLine: 11 },
    });
    expect(excerpt(lines([line]), { maxBytes: 7, keep: 'head' }).head).toBe('😀');
  });

  it('returns an empty excerpt of an empty text', () => {
    expect(excerpt(lines([]), { maxLines: 0 })).toEqual({
      head: '',
      tail: '',
      omitted: null,
      tokens: 0,
    });
  });

  it('stays within every limit and counts the omitted part exactly', () => {
    const text = fc.stringMatching(/^[a-zé漢😀 ]{0,30}$/u);
    const limit = fc.option(fc.nat(120), { nil: undefined });
    const keep = fc.constantFrom('head', 'tail', 'both' as const);
    const property = fc.property(
      fc.array(text, { maxLength: 30 }),
      fc.record({ maxLines: limit, maxBytes: limit, maxTokens: limit, keep }),
      (texts, limits) => {
        const budget = Object.fromEntries(
          Object.entries(limits).filter(([, value]) => value !== undefined),
        ) as ReadBudget;
        const { head, tail, omitted, tokens } = excerpt(lines(texts), budget);
        const whole = texts.join('\n');
        const size = (some: string) => encodeUtf8(some).length;
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(size(head) + size(tail)).toBeLessThanOrEqual(budget.maxBytes ?? size(whole));
        expect(tokens).toBeLessThanOrEqual(budget.maxTokens ?? estimatedTokens(whole));
        expect(size(whole) - size(head) - size(tail)).toBe(omitted?.bytes ?? 0);
        const shown = [head, tail].filter((some) => some !== '').join('\n');
        const shownLines = shown === '' ? 0 : shown.split('\n').length;
        if (budget.maxLines !== undefined) expect(shownLines).toBeLessThanOrEqual(budget.maxLines);
        if (omitted === null) expect(head).toBe('');
      },
    );
    fc.assert(property, runs(500));
  });
});

describe('lines with styles', () => {
  const plain = (text: string) => text.replaceAll(/\x1b\[\d*m/g, '');
  const all = Array.from({ length: 100_000 }, (_, line) => `line ${line}`);

  /** The lines in red, and the number of them that were rendered. */
  function styledLines() {
    let rendered = 0;
    function* lineTexts(from: number, to: number) {
      for (let line = from; line < to; line++) {
        rendered += 1;
        yield { line, text: `\x1b[31m${all[line]}\x1b[m` };
      }
    }
    const textBytes = (from: number, to: number) =>
      all.slice(from, to).reduce((sum, text) => sum + text.length + 1, 0);
    const stretch = keptLines({ lineTexts, terminal: { textBytes } }, 0, all.length, 'ansi');
    return { lines: new Stretches([stretch]), rendered: () => rendered };
  }

  for (const budget of [{ maxLines: 3 }, { maxBytes: 100 }, { maxTokens: 30 }]) {
    for (const keep of ['head', 'tail', 'both'] as const) {
      it(`are rendered only where they are shown: ${JSON.stringify({ ...budget, keep })}`, () => {
        const { lines, rendered } = styledLines();
        const { head, tail, omitted } = excerpt(lines, { ...budget, keep });
        expect(rendered()).toBeLessThanOrEqual(2 * 64);
        const bytes = all.join('\n').length - plain(head).length - plain(tail).length;
        expect(omitted).toMatchObject({ bytes });
        const limit = budget.maxBytes ?? Number.POSITIVE_INFINITY;
        expect(head.length + tail.length).toBeLessThanOrEqual(limit);
      });
    }
  }

  it('fit with their styles, or not at all', () => {
    const { lines } = styledLines();
    const three = lines.part(0, 3);
    const text = ['line 0', 'line 1', 'line 2'].map((each) => `\x1b[31m${each}\x1b[m`).join('\n');
    expect(excerpt(three, { maxBytes: text.length })).toMatchObject({ tail: text, omitted: null });
    const less = excerpt(three, { maxBytes: text.length - 1 });
    expect(less).toMatchObject({ omitted: { lines: 1, bytes: 'line 0\n'.length } });
  });
});
