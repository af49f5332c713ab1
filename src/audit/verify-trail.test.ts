import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import { tree } from '../../test/support/tree.ts';
import { readTrail } from './read-trail.ts';
import { Trail, type TrailOptions, trailFiles } from './trail.ts';
import { verifyTrail } from './verify-trail.ts';

const megabyte = 1024 * 1024;

function trailIn(directory: string, options: Partial<TrailOptions> = {}): Trail {
  const usual = { directory, maxBytes: megabyte, text: true, wallMs: () => 0, log: () => {} };
  return new Trail({ ...usual, ...options });
}

function add(trail: Trail, from: number, to: number, text = ''): void {
  for (let bytes = from; bytes <= to; bytes++) {
    const entry = { time: '2026-11-23T12:00:00.000Z', action: 'send', client: 'test', bytes };
    trail.add({ entry, input: `${text}${bytes}` });
  }
}

/** A trail that a daemon has written, and whose daemon has ended. */
async function written(count: number, options: Partial<TrailOptions> = {}, text = '') {
  const directory = join(tree(), 'audit');
  const trail = trailIn(directory, options);
  add(trail, 1, count, text);
  await trail.close();
  return directory;
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const fileOf = (directory: string) => trailFiles(directory)[0] ?? '';

describe('a trail that is as it was written', () => {
  it('is whole across its files, the daemons that wrote it, and one that was killed in a line', async () => {
    const directory = await written(300, {}, 'x'.repeat(1000));
    expect(trailFiles(directory).length).toBeGreaterThan(2);
    appendFileSync(trailFiles(directory).at(-1) ?? '', '{"time":"2026-11-23T12:00:01.000Z","act');
    const next = trailIn(directory);
    add(next, 301, 900, 'x'.repeat(1000));
    await next.close();
    const { oldest, ...check } = verifyTrail(directory);
    expect(check).toMatchObject({ breaks: [], unchained: 0, forks: 0, lost: 0 });
    // The limit has removed the oldest files.
    expect(oldest?.seq).toBeGreaterThan(1);
    expect(check.newest?.seq).toBe(900);
    expect(check.entries).toBe(901 - (oldest?.seq ?? 0));
  });

  it('is whole when some writes fail, or write a part', async () => {
    const steps = fc.array(fc.constantFrom('all', 'part', 'all but the end', 'none'), {
      minLength: 5,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (writes) => {
        const left = [...writes];
        let onWrite = () => {};
        const write = async (file: FileHandle, bytes: Uint8Array): Promise<number> => {
          onWrite();
          const how = left.shift() ?? 'all';
          if (how === 'none') throw new Error('no space');
          const parts = { all: 0, part: bytes.length / 2, 'all but the end': 1 };
          const part = bytes.subarray(0, bytes.length - Math.floor(parts[how]));
          return part.length === 0 ? 0 : (await file.write(part)).bytesWritten;
        };
        const directory = join(tree(), 'audit');
        const trail = trailIn(directory, { write });
        for (let batch = 0; batch < 12; batch++) {
          const writing = new Promise<void>((resolve) => {
            onWrite = resolve;
          });
          add(trail, batch * 3, batch * 3 + 2);
          await writing;
        }
        await trail.close();
        const { breaks, newest, lost } = verifyTrail(directory);
        expect(breaks).toEqual([]);
        expect(newest?.seq).toBe(readTrail(directory).entries.length);
        const sends = readTrail(directory).entries.filter(({ action }) => action === 'send').length;
        expect(sends + lost).toBe(36);
      }),
      runs(10),
    );
  });

  it('is whole if two daemons write to it at the same time', async () => {
    const directory = join(tree(), 'audit');
    const [one, other] = [trailIn(directory), trailIn(directory)];
    for (let at = 0; at < 20; at++) {
      add(one, at, at);
      add(other, 100 + at, 100 + at);
      if (at % 3 === 0)
        await expect.poll(() => readTrail(directory).entries.length).toBe(2 * at + 2);
    }
    await Promise.all([one.close(), other.close()]);
    expect(verifyTrail(directory)).toMatchObject({ entries: 40, breaks: [] });
  });

  it('may begin with entries of an earlier version', async () => {
    const directory = tree({ '000001.jsonl': '{"time":"2026-11-23T12:00:00.000Z","bytes":1}\n' });
    const trail = trailIn(directory);
    add(trail, 2, 3);
    await trail.close();
    expect(readTrail(directory).entries.map(({ bytes }) => bytes)).toEqual([1, 2, 3]);
    expect(verifyTrail(directory)).toMatchObject({ unchained: 1, entries: 2, breaks: [] });
    // Their hashes were removed from newer ones: what is left does not begin a trail.
    const [first = '', second = '', third = ''] = linesOf(fileOf(directory));
    const stripped = second.replace(/,"seq".*/, '}');
    writeFileSync(fileOf(directory), `${[first, stripped, third].join('\n')}\n`);
    expect(verifyTrail(directory).breaks).toMatchObject([
      { line: 3, seq: 2, why: 'the entry before it is missing' },
    ]);
  });

  it('has hashes that a shell can make', async () => {
    const directory = await written(1);
    const [line = ''] = linesOf(fileOf(directory));
    const [, body, chain] = /^(.*),"chain":"(.*)"\}$/.exec(line) ?? [];
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256')
      .update(`${'0'.repeat(64)}\n${body}}`)
      .digest('hex');
    expect(chain).toBe(hash);
  });
});

describe('a trail that was changed', () => {
  type Change = (lines: string[], at: number) => void;
  const changes: readonly (readonly [string, Change, string])[] = [
    [
      'has an entry with other contents',
      (lines, at) => {
        lines[at] = (lines[at] ?? '').replace('"action":"send"', '"action":"wink"');
      },
      'it is not as it was written',
    ],
    ['lacks an entry', (lines, at) => lines.splice(at, 1), 'the entry before it is missing'],
    ['lacks two entries', (lines, at) => lines.splice(at, 2), '2 entries before it are missing'],
    [
      'has an entry twice',
      (lines, at) => lines.splice(at + 1, 0, lines[at] ?? ''),
      'it is there twice',
    ],
    [
      'has two entries in another order',
      (lines, at) => lines.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
      'the entry before it is missing',
    ],
    [
      'has one more entry without a hash',
      (lines, at) => lines.splice(at, 0, '{"time":"2026-11-23T12:00:00.000Z","action":"kill"}'),
      'it has no hash: it was put in, or an earlier version of vtr wrote it',
    ],
  ];
  it.each(changes)('%s', async (_title, change, why) => {
    const directory = await written(9);
    for (const at of [1, 4, 6]) {
      const lines = linesOf(fileOf(directory));
      const before = readFileSync(fileOf(directory));
      change(lines, at);
      writeFileSync(fileOf(directory), `${lines.join('\n')}\n`);
      const [first, ...more] = verifyTrail(directory).breaks;
      expect(first).toMatchObject({ file: '000001.jsonl', why });
      expect([at + 1, at + 2]).toContain(first?.line);
      expect(more.length).toBeLessThanOrEqual(2);
      writeFileSync(fileOf(directory), before);
    }
  });

  it('lacks its first entries, or a file', async () => {
    const directory = await written(300, {}, 'x'.repeat(1000));
    const [first = '', second = ''] = trailFiles(directory);
    const text = readFileSync(first, 'utf8');
    writeFileSync(first, linesOf(first).slice(2).join('\n').concat('\n'));
    expect(verifyTrail(directory).breaks).toMatchObject([
      { line: 1, seq: 3, why: '2 entries before it are missing' },
    ]);
    writeFileSync(first, text);
    rmSync(second);
    expect(verifyTrail(directory).breaks).toMatchObject(
      [
        { file: '000002.jsonl', line: null, why: 'the file is missing' },
        { file: '000003.jsonl', line: 1, why: /^\d+ entries before it are missing$/ },
      ].map((each) => ({ ...each, why: expect.stringMatching(each.why) })),
    );
    rmSync(first);
    expect(verifyTrail(directory).breaks).toMatchObject([
      { file: '000001.jsonl', line: null },
      { file: '000002.jsonl', line: null },
    ]);
  });

  it('shows that its end was cut off while a daemon runs, or by a hash that was kept', async () => {
    const directory = join(tree(), 'audit');
    const trail = trailIn(directory);
    add(trail, 1, 5);
    await expect.poll(() => readTrail(directory).entries.length).toBe(5);
    const file = fileOf(directory);
    const lastHash = verifyTrail(directory).newest?.chain ?? '';
    truncateSync(file, `${linesOf(file).slice(0, 3).join('\n')}\n`.length);
    expect(verifyTrail(directory, lastHash)).toMatchObject({ breaks: [], hasEntry: false });
    add(trail, 6, 6);
    await expect.poll(() => readTrail(directory).entries.length).toBe(4);
    expect(verifyTrail(directory).breaks).toMatchObject([
      { line: 4, seq: 6, why: '2 entries before it are missing' },
    ]);
    rmSync(file);
    add(trail, 7, 7);
    await trail.close();
    expect(verifyTrail(directory).breaks).toMatchObject([
      { line: 1, seq: 7, why: '6 entries before it are missing' },
    ]);
  });

  it('has the entry of a hash that was kept, while nothing was removed', async () => {
    const directory = await written(3);
    const lastHash = verifyTrail(directory).newest?.chain ?? '';
    const next = trailIn(directory);
    add(next, 4, 5);
    await next.close();
    expect(verifyTrail(directory, lastHash.slice(0, 12))).toMatchObject({
      hasEntry: true,
      breaks: [],
    });
  });
});
