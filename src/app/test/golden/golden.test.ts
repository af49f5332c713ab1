import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8 } from '#base';
import type { ScreenSnapshot } from '#model';
import { Replay } from '#replay';
import { runs } from '../../../../test/support/run/runs.ts';
import { lineDiff } from './expect-golden.ts';
import { type GoldenRequest, goldenText } from './golden-file.ts';
import { goldenDrawings } from './golden-pictures.ts';

const whole: GoldenRequest = { masks: [], region: null, styles: false };

function golden(output: string, request: Partial<GoldenRequest> = {}): string {
  const terminal = new Replay({
    version: 3,
    header: { size: { cols: 20, rows: 5 } },
    events: [{ type: 'output', text: output, atMs: 0 }],
  }).at(0);
  const { revision, size, cursor, alternate, title, topLine } = terminal;
  const { rows: cells } = terminal.screenCells(null);
  const screen: ScreenSnapshot = {
    revision,
    size,
    cursor,
    alternate,
    title,
    topLine,
    cells,
    text: [],
  };
  return goldenText(screen, { ...whole, ...request });
}

describe('a golden', () => {
  it('has the size, the cursor and the rows', () => {
    expect(golden('a  \r\n\r\n日本 b')).toBe('vtr 20x5 cursor 2,6\na\n\n日本 b\n');
    expect(golden('\x1b[?1049h\x1b[5 q\x1b[2;3H')).toBe('vtr 20x5 cursor 1,2 bar alt\n');
    expect(golden('x\x1b[?25l')).toBe('vtr 20x5\nx\n');
  });

  it('has styles by row and columns', () => {
    expect(golden('\x1b[1;31mab\x1b[m \x1b[7mc\x1b[m\r\nplain', { styles: true })).toBe(
      'vtr 20x5 cursor 1,5\nab c\nplain\n--- styles\n0: 0-1 bold fg=1; 3-3 inverse\n',
    );
  });

  it('has a part of the screen', () => {
    const region = { row: 1, col: 2, rows: 2, cols: 3 };
    expect(golden('111111\r\n222345\r\n333678', { region })).toBe(
      'vtr 20x5 region 1,2,2,3\n234\n367\n',
    );
  });

  it('has no text that a mask matches', () => {
    const mask = { findAll: (row: string) => [...row.matchAll(/\d+/g)].map(toMatch) };
    expect(golden('took 12 ms of 300', { masks: [mask] })).toContain('took [..] ms of [..]\n');
  });

  it('has no frame that is not complete (mode 2026)', () => {
    expect(golden('old\x1b[?2026h\rnew')).toContain('old\n');
    expect(golden('old\x1b[?2026h\rnew\x1b[?2026l')).toContain('new\n');
  });
});

const toMatch = ({ index, 0: text }: RegExpMatchArray) => ({
  start: index ?? 0,
  end: (index ?? 0) + text.length,
});

describe('the pictures of a golden', () => {
  const drawn = async (before: string, after: string, request: Partial<GoldenRequest> = {}) => {
    const drawings = await goldenDrawings(golden(before, request), golden(after, request));
    return {
      expected: decodeUtf8(drawings?.expected.dump ?? new Uint8Array(0)),
      difference: golden(decodeUtf8(drawings?.difference.dump ?? new Uint8Array(0)), {
        styles: true,
      }),
    };
  };
  const red = 'fg=15 bg=#b00020';

  it('are the screen that the golden was made of', async () => {
    const piece = fc.oneof(
      fc.constantFrom('a', 'b c', '日本', 'é', '👩‍👧', '\r\n', '\t', '\x1b[?25l', '\x1b[?25h'),
      fc.constantFrom('\x1b[m', '\x1b[1;4:3m', '\x1b[7;38;5;200m', '\x1b[48;2;1;2;3;58;5;9m'),
      fc
        .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 20 }))
        .map(([row, col]) => `\x1b[${row};${col}H`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const output = `\x1b[?2027h${pieces.join('')}`;
        const { expected, difference } = await drawn(output, output, { styles: true });
        expect(golden(`\x1b[?2027h${expected}`, { styles: true })).toBe(
          golden(output, { styles: true }),
        );
        expect(difference).not.toContain(red);
      }),
      runs(200),
    );
  });

  it('have cells that differ in red: characters, styles, and the place of the cursor', async () => {
    const { difference } = await drawn('one\r\n\x1b[1mtwo\x1b[m', 'onX y\r\ntwo!', {
      styles: true,
    });
    expect(difference).toBe(
      [
        'vtr 20x5 cursor 1,4',
        'onX y',
        'two!',
        '--- styles',
        `0: 2-2 ${red}; 4-4 ${red}`,
        `1: 0-4 ${red}`,
        '',
      ].join('\n'),
    );
    // What is missing is a blank.
    expect((await drawn('ab\r\nc\x1b[?25l', 'a\x1b[?25l')).difference).toBe(
      `vtr 20x5\na\n--- styles\n0: 1-1 ${red}\n1: 0-0 ${red}\n`,
    );
  });

  it('have a part of a screen in its place', async () => {
    const region = { row: 1, col: 2, rows: 2, cols: 3 };
    const { difference } = await drawn('x\r\n  abc', 'x\r\n  abd', { region });
    expect(difference).toBe(`vtr 20x5\n\n  abd\n--- styles\n1: 4-4 ${red}\n`);
  });

  it('are missing if the file is not a golden', async () => {
    expect(await goldenDrawings('written by hand\n', golden('a'))).toBeNull();
  });
});

describe('a difference', () => {
  it('shows what changed, with a line around', () => {
    expect(lineDiff('a\nb\nc\nd\ne', 'a\nb\nx\nd\ne')).toBe('  ...\n  b\n- c\n+ x\n  d');
    expect(lineDiff('a\nb\nc\nd\ne', 'b\nc\nd\ne\nf')).toBe('- a\n  b\n  ...\n  e\n+ f');
    expect(lineDiff('', 'a')).toBe('+ a');
  });

  it('makes one text of the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = lineDiff(a, b).split('\n');
        const removed = lines.filter((line) => line.startsWith('-')).length;
        const added = lines.filter((line) => line.startsWith('+')).length;
        expect(a.split('\n').length - removed).toBe(b.split('\n').length - added);
        expect(removed + added > 0).toBe(a !== b);
      }),
      runs(200),
    );
  });
});
