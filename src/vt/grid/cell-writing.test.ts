import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/run/runs.ts';
import { wideFlag } from '../cells/cell.ts';
import { joinsAtStart, runWidth } from '../cells/graphemes.ts';
import { charWidth } from '../cells/width.ts';
import { decodeWhole, encodedLength } from '../parser/utf8-decoder.ts';
import { lastRun, put, putUtf8 } from './cell-writing.ts';
import { Grid } from './grid.ts';

const cols = 12;
const encoder = new TextEncoder();

/** Each piece alone, or its first bytes: printable, without a width, a control, ill-formed. */
const pieces: readonly Uint8Array[] = [
  ...['a', '~', 'é', '\u07ff', '\u0800', '€', '\ud7ff', '漢', '한', '\uffff', '😀', '\u{10ffff}'],
  ...[
    '각',
    'क',
    'ः',
    '👍',
    '🏽',
    '🇫',
    '\u0301',
    '\u200d',
    '\x7f',
    '\n',
    '\x1b',
    '\u0080',
    '\u009f',
    '\u00a0',
  ],
]
  .map((text) => encoder.encode(text))
  .concat([
    Uint8Array.of(0x80),
    Uint8Array.of(0xc0, 0xaf),
    Uint8Array.of(0xc3, 0x41),
    Uint8Array.of(0xe0, 0x80, 0xaf),
    Uint8Array.of(0xe2, 0x82),
    Uint8Array.of(0xe6, 0xbc, 0x41),
    Uint8Array.of(0xed, 0xa0, 0x80),
    Uint8Array.of(0xf0, 0x80, 0x80, 0xaf),
    Uint8Array.of(0xff),
  ]);

const bytes = fc
  .array(fc.constantFrom(...pieces), { maxLength: 8 })
  .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

function gridWith(before: readonly string[]): Grid {
  const grid = new Grid(cols, 1);
  let col = 0;
  for (const char of before) {
    const codePoint = char.codePointAt(0) as number;
    const width = charWidth(codePoint);
    if (col + width <= cols) put(grid, 0, col, width === 2 ? codePoint | wideFlag : codePoint, 0);
    col += width;
  }
  return grid;
}

/** The plain form of {@link putUtf8}: one call per character. */
function putOneByOne(
  grid: Grid,
  col: number,
  output: Uint8Array,
  style: number,
  endCol: number,
  clusters: boolean,
  afterRun: boolean,
) {
  let at = col;
  let next = 0;
  let character = 0;
  while (next < output.length && at < endCol) {
    const isAscii = output[next] < 0x80;
    const codePoint = isAscii ? output[next] : decodeWhole(output, next, output.length);
    if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) break;
    let width = clusters ? runWidth(codePoint) : charWidth(codePoint);
    if (width >= joinsAtStart) {
      if (at === col && !afterRun) break;
      width -= joinsAtStart;
    }
    if (width === 0 || at + width > endCol) break;
    put(grid, 0, at, width === 2 ? codePoint | wideFlag : codePoint, style);
    at += width;
    next += isAscii ? 1 : encodedLength(codePoint);
    character = codePoint;
  }
  return { next, cols: at - col, character };
}

const stateOf = (grid: Grid) => {
  const start = grid.start(0);
  const { printedFrom, printedTo, extent, flags } = grid.metadata(0);
  const cells = [...grid.codes.subarray(start, start + cols)];
  return { cells, styles: [...grid.styles], printed: [printedFrom, printedTo], extent, flags };
};

describe('putUtf8', () => {
  it('writes the same cells as one call per character, and stops at the same byte', () => {
    const before = fc.array(fc.constantFrom('x', '漢'), { maxLength: cols });
    const col = fc.integer({ min: 0, max: cols - 2 });
    const styles = fc.nat(2);
    const flags = fc.tuple(fc.boolean(), fc.boolean());
    const property = fc.property(
      before,
      col,
      bytes,
      styles,
      flags,
      (text, from, output, style, [clusters, afterRun]) => {
        const fast = gridWith(text);
        const plain = gridWith(text);
        const next = putUtf8(
          fast,
          0,
          from,
          output,
          0,
          output.length,
          style,
          cols,
          clusters,
          afterRun,
        );
        const expected = putOneByOne(plain, from, output, style, cols, clusters, afterRun);
        expect({ next, cols: lastRun.cols }).toEqual({ next: expected.next, cols: expected.cols });
        if (expected.cols > 0) expect(lastRun.character).toBe(expected.character);
        expect(stateOf(fast)).toEqual(stateOf(plain));
      },
    );
    fc.assert(property, runs(2000));
  });
});
