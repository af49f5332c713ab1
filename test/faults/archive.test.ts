import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeUtf8 } from '#base';
import { ArchiveFiles } from '#store';
import { failEveryCall, type Operation } from '../support/faults/every-call.ts';
import { tree } from '../support/tree.ts';

const root = tree({}, afterAll);
const directory = join(root, 'all', 'archive');
const key = new Uint8Array(32);
const logged: string[] = [];
const opened = () =>
  new ArchiveFiles({ directory, maxBytes: 1e6, log: (line) => void logged.push(line) });

const lines = (from: number, to: number) => ({
  from,
  to,
  parts: [encodeUtf8(`${from}\n`), encodeUtf8(`${from}\n`.repeat(to - from - 1))],
});

/** What one that continues it finds, without gaps. */
function linesFound() {
  const files = opened();
  try {
    const archive = files.open('one', key, true);
    const { firstLine, endLine } = archive;
    const texts: (string | null)[] = [];
    for (let line = firstLine; line < endLine; line += 10) {
      const block = archive.read(line);
      texts.push(block && Buffer.from(block.bytes).toString());
    }
    return [firstLine, endLine, texts];
  } finally {
    files.close(false);
  }
}

const isReported = (_result: unknown, reason: string) => logged.join(' ').includes(reason);

const operations: readonly Operation[] = [
  {
    name: 'lines are archived, and read by another process',
    codes: [],
    act() {
      const files = opened();
      const archive = files.open('one', key, false);
      archive.add(lines(0, 10), 20);
      archive.add(lines(10, 20), 30);
      const read = archive.read(5)?.bytes.length;
      files.close(false);
      return [read, linesFound()];
    },
    isReported,
  },
  {
    name: 'archives are removed',
    codes: [],
    prepare() {
      const files = opened();
      for (const id of ['one', 'two']) files.open(id, key, false).add(lines(0, 10), 20);
      files.close(false);
    },
    act() {
      const files = opened();
      const archive = files.open('one', key, true);
      archive.erase();
      files.remove('one');
      files.keepOnly(new Set());
      files.close(true);
      return linesFound();
    },
    isReported,
  },
];

describe('archives, of which every system call fails', () => {
  const all = operations.map((each) => [each.name, each] as const);
  test.each(all)('%s', async (_, operation) => {
    const prepare = async () => {
      logged.length = 0;
      await operation.prepare?.();
    };
    const undo = () => rmSync(join(root, 'all'), { recursive: true, force: true });
    const { wrong, calls } = await failEveryCall({ ...operation, prepare, undo }, root);
    expect(wrong).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});
