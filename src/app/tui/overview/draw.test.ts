import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { type Cell, cellsText, isSameStyle } from '#model';
import type { Picture } from '#tty';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  after,
  anyEvent,
  emptyModel,
  frameOf,
  key,
  listed,
  modelOf,
  sessionInfo,
} from '../../../../test/support/tui/overview-model.ts';
import { draw } from './draw.ts';
import type { OverviewModel } from './model.ts';
import { DrawnParts } from './spans.ts';
import type { OverviewEvent } from './step.ts';

const textOf = (model: OverviewModel): string[] => draw(model).rows.map(cellsText);

/** The first thing that is wrong with a picture; empty if nothing is. */
function fault({ size, rows, cursor }: Picture): string {
  if (rows.length !== size.rows) return `${rows.length} rows`;
  for (const [row, cells] of rows.entries()) {
    if (cells.length !== size.cols) return `${cells.length} columns in row ${row}`;
    for (const [col, { width, text }] of cells.entries()) {
      const isSplit = (width === 2) !== (cells[col + 1]?.width === 0);
      if (isSplit || /\p{Cc}/u.test(text)) return `${JSON.stringify(text)} at ${row},${col}`;
    }
  }
  return cursor.row < size.rows && cursor.col < size.cols ? '' : JSON.stringify(cursor);
}

const isSameRow = (a: readonly Cell[], b: readonly Cell[]): boolean =>
  a.length === b.length &&
  a.every(({ text, style }, col) => text === b[col]?.text && isSameStyle(style, b[col].style));

describe('the picture of the overview', () => {
  it('is whole after any events and in any window, and does not depend on the one before', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { minLength: 1, maxLength: 12 }), (events) => {
        const parts = new DrawnParts();
        let model = emptyModel();
        for (const event of events) {
          ({ state: model } = after(model, event));
          const picture = draw(model, parts);
          expect(fault(picture)).toBe('');
          const fresh = draw(model);
          expect({ ...picture, rows: [] }).toEqual({ ...fresh, rows: [] });
          const differing = fresh.rows.findIndex(
            (cells, row) => !isSameRow(cells, picture.rows[row] ?? []),
          );
          expect(differing).toBe(-1);
        }
      }),
      runs(150),
    );
  });

  it('has the rows of the picture before where nothing changed', () => {
    const parts = new DrawnParts();
    const model = modelOf(sessionInfo('one'), sessionInfo('two'));
    const before = draw(model, parts);
    const { state: changed } = after(
      { ...model, nowMs: model.nowMs - 1000 },
      listed(sessionInfo('one'), sessionInfo('two', { command: 'make' })),
    );
    const { rows } = draw(changed, parts);
    const isNew = rows.map((cells, row) => cells !== before.rows[row]);
    const changedRows = rows.filter((_, row) => isNew[row]).map(cellsText);
    expect(changedRows).toEqual([expect.stringMatching(/two .* make/)]);
  });

  it('shows the selected session as far as it fits, with its edges and its cursor', () => {
    const { state: model } = after(modelOf(sessionInfo('one')), {
      type: 'sessions',
      link: 0,
      events: [
        {
          type: 'frame',
          id: 'id-one',
          frame: frameOf(encodeUtf8('\x1b[31mred\x1b[m\r\n漢字 Overwrite? '), {
            cols: 20,
            rows: 4,
          }),
        },
      ],
    });
    const picture = draw(model);
    const texts = picture.rows.map(cellsText);
    const top = texts.findIndex((text) => text.startsWith('red'));
    expect(texts.slice(top, top + 5).map((text) => text.trimEnd())).toEqual([
      `red${' '.repeat(17)}│`,
      `漢字 Overwrite?${' '.repeat(5)}│`,
      `${' '.repeat(20)}│`,
      `${' '.repeat(20)}│`,
      `${'─'.repeat(20)}┘`,
    ]);
    expect(picture.rows[top]?.[0]?.style.fg).toBe(1);
    expect(picture.rows[top + 1]?.map(({ style }) => style.inverse).indexOf(true)).toBe(16);
  });

  it.each([
    ['a small one', { cols: 60, rows: 15 }, ['SESSION', 'awaiting input', 'Overwrite? [y/N]']],
    ['a usual one', { cols: 100, rows: 30 }, ['COMMAND', 'SAYS', '─ ask awaiting input']],
    ['a large one', { cols: 200, rows: 50 }, ['DIRECTORY', '~/src', '│─ ask awaiting input']],
  ])('shows in %s what matters', (_, size, expected) => {
    const ask = sessionInfo('ask', {
      state: 'awaiting_input',
      attention: 'input',
      evidence: 'Overwrite? [y/N]',
      directory: '/home/me/src',
    });
    const { state: model } = after(modelOf(ask, sessionInfo('build')), { type: 'window', size });
    const text = textOf(model).join('\n');
    for (const each of expected) expect(text).toContain(each);
  });

  it('shows the end of a line that is longer than the window, where the cursor is', () => {
    const ask = sessionInfo('ask', {
      state: 'awaiting_input',
      attention: 'input',
      evidence: 'Plan?',
    });
    const { state: narrow } = after(modelOf(ask), { type: 'window', size: { cols: 40, rows: 12 } });
    const text = `${'漢字 '.repeat(20)}the end`;
    const typing: OverviewEvent = { type: 'event', event: { type: 'paste', text } };
    for (const begin of [key('i'), key('/'), key('g')]) {
      const { state: typed } = after(narrow, begin, typing);
      expect(textOf(typed).at(-1)).toMatch(/ 漢字 the end$/);
      expect(draw(typed).cursor).toMatchObject({ row: 11, col: 39, visible: true });
      const { state: spaced } = after(typed, key('space'));
      expect(textOf(spaced).at(-1)).toMatch(/ 漢字 the end$/);
      expect(draw(spaced).rows.at(-1)?.at(-3)?.text).toBe('d');
      const { state: first } = after(typed, key('home'));
      expect(textOf(first).at(-1)).toMatch(/(Plan\?|\/|all:) *漢字 漢字 /);
    }
  });

  it('shows the last key of its help in any window', () => {
    for (const rows of [1, 2, 10, 24]) {
      const { state: model } = after(emptyModel({ cols: 80, rows }), key('?'));
      const { state: read } = after(model, ...Array.from({ length: 40 }, () => key('down')));
      const texts = textOf(read);
      expect(texts[Math.max(0, rows - 2)]).toMatch(/^ q Ctrl\+c +leave *$/);
    }
  });

  it('never shows the answer to a password', () => {
    const model = modelOf(sessionInfo('su', { state: 'password', attention: 'password' }));
    const { state: typed } = after(model, key('i'), ...[...'s3cret'].map(key));
    expect(textOf(typed).join('\n')).not.toContain('s3cret');
    expect(textOf(typed).at(-1)).toContain('••••••');
  });
});
