import { expect, it } from 'vitest';
import type { Coordinator, Excerpt, ReadRequest } from '#model';
import { SessionReadMarks } from './read-marks.ts';
import { readView } from './read-view.ts';

const output = Buffer.from('\ufeff漢字 😀');

const args = { view: 'new', format: 'raw' } as const;

/** A coordinator with the output up to `end`. */
class Growing {
  end = 0;
  readonly coordinator = {
    read: async (_session: string, { since }: ReadRequest) => ({
      raw: { bytes: output.subarray(Number(since) || 0, this.end), offset: 0, omittedBytes: 0 },
      gap: { lines: 0, bytes: 0 },
      mark: String(this.end),
      revision: this.end,
    }),
  } as unknown as Coordinator;
}

/** Reads the output up to each of these offsets, one after another. */
async function readUpTo(...ends: readonly number[]): Promise<string[]> {
  const growing = new Growing();
  const marks = new SessionReadMarks().of('1');
  const texts: string[] = [];
  for (growing.end of ends) {
    texts.push((await readView(growing.coordinator, 's', args, marks)).text.content);
  }
  return texts;
}

it('returns raw output complete, wherever it is split', async () => {
  for (let cut = 0; cut <= output.length; cut++) {
    expect((await readUpTo(cut, output.length)).join(''), `${cut}`).toBe(output.toString());
  }
  expect(await readUpTo(5, 6, output.length)).toEqual(['\ufeff', '漢', '字 😀']);
});

it('returns new output to only one of simultaneous reads', async () => {
  const growing = new Growing();
  growing.end = output.length;
  const marks = new SessionReadMarks().of('1');
  const reads = [1, 2].map(() => readView(growing.coordinator, 's', args, marks));
  const texts = (await Promise.all(reads)).map(({ text }) => text.content);
  expect(texts).toEqual([output.toString(), '']);
});

const cellsOf = (rows: readonly string[]) =>
  rows.map((row) => [...row].map((text) => ({ text, style: {}, width: 1 })));

/** Reads alternate screens, one after another, in the view `new`. */
function screenReader(marks = new SessionReadMarks().of('1')) {
  return (rows: readonly string[] = [], text: Partial<Excerpt> = {}, budget = {}) => {
    const coordinator = {
      read: async () => ({
        kind: 'screen',
        text: { head: rows.join('\n'), tail: '', omitted: null, ...text },
        gap: { lines: 0, bytes: 0 },
        fromLine: null,
        mark: 'm',
        revision: 1,
      }),
      screen: async () => ({ cells: cellsOf(rows), revision: 1 }),
    } as unknown as Coordinator;
    return readView(coordinator, 's', { view: 'new', ...budget }, marks);
  };
}

it('lists changed rows that are blank last, without lines in the text', async () => {
  const blank = Array.from({ length: 20 }, () => '');
  const screens = [
    ['', ' ', 'one', 'two', 'three', ...blank, 'end'],
    ['', 'new', '', 'two', '3', ...blank, 'end'],
  ];
  const read = screenReader();
  expect((await read(screens[0])).text.content).toBe(`one\ntwo\nthree${'\n'.repeat(21)}end`);
  expect(await read(screens[1])).toMatchObject({
    text: { content: 'new\n3' },
    changedRows: [1, 4, 2],
  });
});

it('lists the changed rows after a screen that did not fit', async () => {
  const read = screenReader();
  const rows = ['one', ...Array.from({ length: 10 }, () => '~'), 'end'];
  await read(rows);
  const changed = ['1', ...rows.slice(1)];
  const omitted = { lines: 2, bytes: 4, fromLine: null, toLine: null };
  const short = {
    head: changed.slice(0, 5).join('\n'),
    tail: changed.slice(7).join('\n'),
    omitted,
  };
  expect(await read(changed, short)).toMatchObject({ text: { content: '1' }, changedRows: [0] });
  const first = await screenReader()(changed, short);
  expect(first.changedRows).toBeUndefined();
  expect(first.text.content).toMatch(/^1\n~\n[\s\S]*omitted[\s\S]*~\nend$/);
  expect((await read(changed)).changedRows).toEqual([]);
});

const file = Array.from({ length: 100 }, (_, line) => `line ${line} of a file that is read`);

it('tells of rows that moved instead of repeating them', async () => {
  const read = screenReader();
  const page = (top: number) => ['File', ...file.slice(top, top + 20), 'status'];
  await read(page(0));
  const { text, changedRows, movedRows } = await read(page(2));
  expect(text.content).toBe(`${file[20]}\n${file[21]}`);
  expect({ changedRows, movedRows }).toEqual({
    changedRows: [19, 20],
    movedRows: { from: 3, to: 1, count: 18 },
  });
});

it('returns the whole screen if its changes do not fit', async () => {
  const read = screenReader();
  const rows = file.slice(0, 20);
  await read(rows);
  const changed = ['1', '2', '3', ...rows.slice(3)];
  const viewed = await read(changed, {}, { max_lines: 2 });
  expect(viewed.changedRows).toBeUndefined();
  expect(viewed.text.content).toBe(changed.join('\n'));
});

it('returns all rows after a raw read, which had the changes', async () => {
  const marks = new SessionReadMarks().of('1');
  const read = screenReader(marks);
  const rows = ['one', 'two', 'three'];
  await read(rows);
  await readView(new Growing().coordinator, 's', args, marks);
  const later = await read(rows);
  expect(later.changedRows).toBeUndefined();
  expect(later.text.content).toBe('one\ntwo\nthree');
});

it('returns unread lines before the alternate screen, and later only its changed rows', async () => {
  const marks = new SessionReadMarks().of('1');
  const rows = ['menu', 'one', 'two', 'three'];
  const read = async (lines: readonly string[], shown: readonly string[]) => {
    const coordinator = {
      read: async () => ({
        kind: 'screen',
        text: { head: '', tail: [...lines, ...shown].join('\n'), omitted: null },
        gap: { lines: 0, bytes: 0 },
        fromLine: lines.length === 0 ? null : 7,
        mark: 'm',
        revision: 1,
      }),
      screen: async () => ({ cells: cellsOf([...shown, '']) }),
      readLines: async () => ({ lines: [] }),
    } as unknown as Coordinator;
    return readView(coordinator, 's', { view: 'new' }, marks);
  };
  const first = await read(['printed'], rows);
  expect(first.text.content).toBe('printed\nmenu\none\ntwo\nthree');
  expect(first.changedRows).toBeUndefined();
  expect(await read([], ['menu', 'one', '2', 'three'])).toMatchObject({
    text: { content: '2' },
    changedRows: [2],
  });
});
