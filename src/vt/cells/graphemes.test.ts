import rgiEmoji from '@unicode/unicode-18.0.0/Sequence_Property/RGI_Emoji/index.mjs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { encodeUtf8, sanitize } from '#base';
import { plainStyle } from '#model';
import { Terminal } from '#vt';
import { runs } from '../../../test/support/run/runs.ts';
import { Terminal as TerminalOfClusters } from '../terminal.ts';
import { clusterWidth, textCells } from './graphemes.ts';

const points = (text: string) => Array.from(text, (char) => char.codePointAt(0) as number);

/** Returns the cells that a text occupies with mode 2027 on. */
function cellsOf(text: string, cols = 40): [text: string, width: number][] {
  const terminal = new Terminal({ size: { cols, rows: 4 } });
  terminal.feed(new TextEncoder().encode(`\x1b[?2027h${text}`));
  const cells = terminal.readRow(0).cells();
  return cells
    .filter(({ text: own, width }) => width > 0 && own !== ' ')
    .map(({ text: own, width }) => [own, width]);
}

describe('grapheme clusters', () => {
  it('every emoji recommended for interchange is one cluster of two cells', () => {
    expect(rgiEmoji.length).toBeGreaterThan(3000);
    const wrong = rgiEmoji.filter((text) => {
      const cells = cellsOf(text);
      return cells.length !== 1 || cells[0]?.[0] !== text || cells[0][1] !== 2;
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['a letter and marks', 'e\u0301\u0323', [['e\u0301\u0323', 1]]],
    ['a family', '👩‍👩‍👧', [['👩‍👩‍👧', 2]]],
    [
      'two flags',
      '🇩🇪🇫🇷',
      [
        ['🇩🇪', 2],
        ['🇫🇷', 2],
      ],
    ],
    [
      'half a flag',
      '🇩🇪🇫',
      [
        ['🇩🇪', 2],
        ['🇫', 2],
      ],
    ],
    ['a keycap', '1\ufe0f\u20e3', [['1\ufe0f\u20e3', 2]]],
    ['a narrow emoji', '❤', [['❤', 1]]],
    ['a narrow emoji made wide', '❤\ufe0f', [['❤\ufe0f', 2]]],
    ['a wide emoji made narrow', '☔\ufe0e', [['☔\ufe0e', 1]]],
    ['an emoji that has no narrow form', '🧠\ufe0e', [['🧠\ufe0e', 2]]],
    ['a letter that has no wide form', 'x\ufe0f', [['x\ufe0f', 1]]],
    ['a skin tone', '👍🏽', [['👍🏽', 2]]],
    [
      'a skin tone after a character without skin',
      '"🏽',
      [
        ['"', 1],
        ['🏽', 2],
      ],
    ],
    [
      'emoji side by side',
      '🔥🔥',
      [
        ['🔥', 2],
        ['🔥', 2],
      ],
    ],
    [
      'a joiner after a letter joins nothing',
      'a\u200d🔥',
      [
        ['a\u200d', 1],
        ['🔥', 2],
      ],
    ],
    ['Hangul by its letters', '\u1112\u1161\u11ab', [['\u1112\u1161\u11ab', 2]]],
    [
      'Hangul syllables',
      '한국',
      [
        ['한', 2],
        ['국', 2],
      ],
    ],
    ['a consonant and a spacing vowel', 'नी', [['नी', 2]]],
    ['a conjunct', 'क्षि', [['क्षि', 2]]],
    [
      'consonants without a linker',
      'कष',
      [
        ['क', 1],
        ['ष', 1],
      ],
    ],
    [
      'consonants kept apart by ZWNJ',
      'क्\u200cष',
      [
        ['क्\u200c', 1],
        ['ष', 1],
      ],
    ],
  ])('%s', (_what, text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  it.each([
    ['👩‍👩‍👧', 2],
    ['☔\ufe0e', 1],
    ['🔥🔥', 0],
    ['\u0301', 1],
  ])('%s measures %i', (text, width) => {
    expect(clusterWidth(points(text))).toBe(width);
  });

  it('break where the segmenter of the runtime breaks', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    // A letter, emoji with and without skin tone, flags, a joiner, marks, Hangul, Indic, Kirat Rai.
    const alphabet = [
      'a',
      '🔥',
      '👍',
      '🇩',
      '\u200d',
      '\u0301',
      '\ufe0f',
      '한',
      '\u1112',
      'क',
      '्',
      'ष',
      'ी',
    ];
    const texts = alphabet.flatMap((one) =>
      alphabet.flatMap((two) =>
        alphabet.flatMap((three) => alphabet.map((four) => `b${one}${two}${three}${four}c`)),
      ),
    );
    const wrong = texts.filter((text) => {
      const expected = Array.from(segmenter.segment(text), ({ segment }) => segment);
      return (
        cellsOf(text)
          .map(([own]) => own)
          .join('|') !== expected.join('|')
      );
    });
    expect(wrong.slice(0, 10)).toEqual([]);
  });
});

const line = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom('漢字', '👩‍👧', '🇨🇭', 'é', '☀️', '각', 'क्षि', '👍🏽', 'ก็', '\u0301', 'x'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => sanitize(parts.join('')).text.replace(/[\t\n]/g, ''));

describe('cells of text', () => {
  test('are those of a terminal in mode 2027', () => {
    fc.assert(
      fc.property(line, (text) => {
        const size = { cols: 300, rows: 2 };
        const terminal = new TerminalOfClusters({ size });
        terminal.feed(encodeUtf8(`\x1b[?2027h${text}`));
        const cells = textCells(text, plainStyle);
        expect(cells).toEqual(terminal.screenCells().rows[0]?.slice(0, cells.length));
        expect(terminal.cursor.col).toBe(cells.length);
      }),
      runs(300),
    );
  });
});
