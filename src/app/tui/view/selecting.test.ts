import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { ViewedSession } from '../../../../test/support/tui/viewed-session.ts';

const printed = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('');
const size = { cols: 20, rows: 10 };

describe('selecting', () => {
  it('copies whole lines as they were printed, however they are wrapped', async () => {
    const line = fc
      .array(fc.constantFrom('a', 'b', ' ', '漢', '😀', 'e\u0301', '/'), { maxLength: 60 })
      .map((all) => all.join(''));
    const lines = fc.array(line, { minLength: 1, maxLength: 60 }).map((all) => [...all, 'end']);
    await fc.assert(
      fc.asyncProperty(lines, fc.nat(), fc.nat(), async (all, one, other) => {
        const session = new ViewedSession({ size, window: size, earlier: printed(all) });
        const [from, to] = [one % all.length, other % all.length];
        session.act({ type: 'goTo', line: from });
        await session.settle();
        await session.press('V');
        session.act({ type: 'goTo', line: to });
        await session.settle();
        const text = all
          .slice(Math.min(from, to), Math.max(from, to) + 1)
          .map((one) => one.trimEnd())
          .join('\n');
        await session.press('y');
        expect(session.copied ?? '').toBe(text);
        expect(session.state.scroll).toBe(null);
      }),
      runs(60),
    );
  });

  it('copies what the mouse is dragged over', async () => {
    const line = fc.stringMatching(/^[a-z]{1,20}$/);
    const lines = fc.array(line, { minLength: 9, maxLength: 9 });
    const place = fc.record({ row: fc.nat({ max: 8 }), col: fc.nat({ max: 19 }) });
    await fc.assert(
      fc.asyncProperty(lines, place, place, async (all, one, other) => {
        const session = new ViewedSession({ size, window: size, earlier: printed(all) });
        // A row below the window scrolls; this law is about what is seen.
        fc.pre(one.row > 0 && other.row > 0);
        session.mouse({ action: 'press', button: 'left', ...one });
        await session.settle();
        session.mouse({ action: 'move', button: 'left', ...other });
        session.mouse({ action: 'release', button: 'left', ...other });
        const end = ({ row, col }: typeof one) => ({
          row,
          col: Math.min(col, (all[row]?.length ?? 1) - 1),
        });
        const [a, b] = [end(one), end(other)];
        const [from, to] = a.row < b.row || (a.row === b.row && a.col <= b.col) ? [a, b] : [b, a];
        const expected = all
          .slice(from.row, to.row + 1)
          .map((text, at) => {
            const row = from.row + at;
            return text.slice(
              row === from.row ? from.col : 0,
              row === to.row ? to.col + 1 : undefined,
            );
          })
          .join('\n');
        expect(session.copied).toBe(expected);
      }),
      runs(60),
    );
  });

  it.each([
    [['V', 'j', 'j', 'y'], 'all: dep\n\tgcc x\n\t\t漢\ty'],
    [['j', 'l', 'l', 'space', '$', 'y'], '      gcc x'],
    [['j', 'space', 'l', 'l', 'y'], ''],
    [['j', 'j', 'w', 'space', '$', 'y'], '漢\ty'],
  ])('keeps tabs that are selected: %j', async (keys, copied) => {
    const wide = { cols: 60, rows: 10 };
    const earlier = 'all: dep\r\n\tgcc x\r\n\t\t漢\ty';
    const session = new ViewedSession({ size: wide, window: wide, earlier });
    await session.press('ctrl+b', '[', ...keys);
    expect(session.copied ?? '').toBe(copied);
  });

  it('reads the lines of a long selection that are not in this process', async () => {
    const all = Array.from({ length: 40_000 }, (_, at) => `line ${at}`);
    const session = new ViewedSession({ size, window: size, earlier: printed(all) });
    await session.press('ctrl+b', '[', 'g', 'V', 'G', 'y');
    expect(session.copied?.split('\n')).toEqual(all);
  });

  const text = 'one two-three  four\r\n\r\n  漢字 end';
  it.each<[keys: string[], line: number, col: number]>([
    [['l', 'l', 'h'], 0, 1],
    [['w'], 0, 4],
    [['w', 'w'], 0, 7],
    [['w', 'w', 'w'], 0, 8],
    [['e'], 0, 2],
    [['e', 'e', 'e', 'b'], 0, 4],
    [['$'], 0, 18],
    [['$', 'w'], 1, 0],
    [['$', '0'], 0, 0],
    [['j', 'j', '^'], 2, 2],
    [['j', 'j', '^', 'l'], 2, 4],
    [['j', 'j', '^', 'l', 'h'], 2, 2],
    [['$', 'j', 'j'], 2, 9],
    [['$', 'j', 'k'], 0, 18],
    [['}'], 1, 0],
    [['}', '{'], 0, 0],
    [['L'], 2, 0],
    [['L', 'H'], 0, 0],
    [['M'], 1, 0],
    [['G', 'g'], 0, 0],
    [['G', 'home'], 0, 0],
    [['end'], 2, 0],
    [[':', '3', 'enter'], 2, 0],
    [['down', 'right', 'up'], 0, 0],
    [['2', 'j'], 2, 0],
    [['9', '9', 'j'], 2, 0],
    [['2', 'j', '2', 'k'], 0, 0],
    [['1', '0', 'l'], 0, 10],
    [['1', '0', 'l', '3', 'h'], 0, 7],
    [['3', 'w'], 0, 8],
    [['3', 'G'], 2, 0],
    [['3', 'G', '1', 'g'], 0, 0],
    [['5', 'escape', 'l'], 0, 1],
    [['$', '0'], 0, 0],
    [['f', 't'], 0, 4],
    [['2', 'f', 't'], 0, 8],
    [['t', '-'], 0, 6],
    [['t', 'n'], 0, 0],
    [['f', 'x'], 0, 0],
    [['f', 'e', ';'], 0, 11],
    [['t', 'e', ';'], 0, 10],
    [['f', 'e', ';', ','], 0, 2],
    [['$', 'F', 'o'], 0, 16],
    [['$', 'T', 'f'], 0, 16],
    [['f', 'space'], 0, 3],
    [['f', 'escape', 'l'], 0, 1],
    [['G', '0', 'f', '字'], 2, 4],
  ])('puts the cursor with %j to line %i, column %i', async (keys, line, col) => {
    const session = new ViewedSession({ earlier: text });
    await session.press('ctrl+b', '[', ...keys);
    expect(session.state.scroll?.cursor).toEqual({ line, col });
  });

  it.each<[keys: string[], copied: string | null]>([
    [['space', 'e', 'y'], 'one'],
    [['v', 'e', 'enter'], 'one'],
    [['space', 'j', 'j', 'l', 'l', 'y'], 'one two-three  four\n\n  漢'],
    [['w', 'space', '$', 'o', 'e', 'y'], 'o-three  four'],
    [['y'], 'one two-three  four'],
    [['j', 'j', 'Y'], '  漢字 end'],
    [['w', 'Y'], 'one two-three  four'],
    [['w', 'D'], 'two-three  four'],
    [['2', 'w', 'v', '2', 'e', 'y'], '-three  four'],
    [['V', 'j', 'j', 'y'], 'one two-three  four\n\n  漢字 end'],
    [['ctrl+v', 'j', 'j', 'l', 'l', 'y'], 'one\n\n  漢'],
    [['space', 'escape', 'enter'], null],
    [['space', 'space', 'enter'], null],
    [['q'], null],
  ])('copies with %j %j', async (keys, copied) => {
    const session = new ViewedSession({ earlier: text });
    await session.press('ctrl+b', '[', ...keys);
    expect(session.copied).toBe(copied);
  });
});
