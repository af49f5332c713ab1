import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/run/runs.ts';
import { tree } from '../../test/support/tree.ts';
import type { NewEntry } from './entry.ts';
import { readTrail, TrailReader } from './read-trail.ts';
import { Trail, type TrailOptions, trailFiles } from './trail.ts';

const megabyte = 1024 * 1024;

function trailIn(directory: string, options: Partial<TrailOptions> = {}): Trail {
  const usual = { directory, maxBytes: megabyte, text: false, wallMs: () => 0, log: () => {} };
  return new Trail({ ...usual, ...options });
}

const entry = (number: number, input: NewEntry['input'] = null): NewEntry => ({
  entry: { time: '2026-11-23T12:00:00.000Z', action: 'send', client: 'test', bytes: number },
  input,
});

const numbersIn = (directory: string) =>
  readTrail(directory).entries.flatMap(({ action, bytes }) => (action === 'send' ? bytes : []));

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a trail', () => {
  it('is private, and written together after its entries were made', async () => {
    const directory = join(tree(), 'state/audit');
    const trail = trailIn(directory);
    trail.add(entry(1));
    trail.add(entry(2));
    expect(trailFiles(directory)).toEqual([]);
    await trail.close();
    expect(numbersIn(directory)).toEqual([1, 2]);
    const [file = ''] = trailFiles(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    const next = trailIn(directory);
    next.add(entry(3));
    await next.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(numbersIn(directory)).toEqual([1, 2, 3]);
  });

  it('has a hash of what is long enough, and a text only if that is configured', async () => {
    const [plain, withText] = [tree(), tree()];
    for (const [directory, text] of [[plain, false] as const, [withText, true] as const]) {
      const trail = trailIn(directory, { text });
      trail.add(entry(1, 'echo hello'));
      trail.add(entry(2, Buffer.from('short')));
      trail.add(entry(3, 'x'.repeat(5000)));
      trail.add(entry(4));
      await trail.close();
    }
    // printf 'echo hello' | sha256sum
    const sha256 = '584a331fd6b02dcb1ecbe2eba731f609a2e1e3dac0bb73ae998dfad14c309a77';
    const [first, second, , fourth] = readTrail(plain).entries;
    expect(first?.sha256).toBe(sha256);
    expect([first?.text, second?.sha256, fourth?.sha256]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    const texts = readTrail(withText).entries.map(({ text }) => text);
    expect(texts).toEqual(['echo hello', 'short', `${'x'.repeat(4095)}…`, undefined]);
  });

  it('keeps the newest entries, within its limit', async () => {
    const directory = tree();
    const trail = trailIn(directory, { text: true });
    const text = 'x'.repeat(4000);
    const count = 400;
    for (let number = 1; number <= count; number++) {
      trail.add(entry(number, text));
      if (number % 20 === 0) await turn();
    }
    await trail.close();
    const sizes = trailFiles(directory).map((file) => statSync(file).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(megabyte);
    const numbers = numbersIn(directory);
    expect(numbers.at(-1)).toBe(count);
    expect(numbers.length).toBeGreaterThan(150);
    expect(numbers).toEqual(Array.from(numbers, (_, at) => count - numbers.length + 1 + at));
  });

  it('continues after a writer that was killed in a line, and counts that line', async () => {
    const directory = tree();
    const first = trailIn(directory);
    first.add(entry(1));
    await first.close();
    const [file = ''] = trailFiles(directory);
    appendFileSync(file, '{"time":"2026-11-23T12:00:01.000Z","act');
    const second = trailIn(directory);
    second.add(entry(2));
    await second.close();
    expect(numbersIn(directory)).toEqual([1, 2]);
    expect(readTrail(directory).damaged).toBe(1);
  });

  it('is written again where its files were removed', async () => {
    const directory = join(tree(), 'audit');
    const trail = trailIn(directory);
    trail.add(entry(1));
    await expect.poll(() => trailFiles(directory).length).toBe(1);
    rmSync(directory, { recursive: true });
    trail.add(entry(2));
    await trail.close();
    expect(numbersIn(directory)).toEqual([2]);
  });

  it('says where it cannot be, and goes on', async () => {
    const directory = tree({ audit: 'a file' });
    const said: string[] = [];
    const trail = trailIn(join(directory, 'audit/trail'), { log: (line) => said.push(line) });
    trail.add(entry(1));
    await expect.poll(() => trail.state.lost).toBe(1);
    expect(trail.state).toMatchObject({ isLosing: true, reason: expect.stringMatching(/ENOTDIR/) });
    expect(said).toEqual([expect.stringMatching(/^warning: entries of the audit trail are lost/)]);
    rmSync(join(directory, 'audit'));
    trail.add(entry(2));
    await trail.close();
    expect(trail.state).toMatchObject({ lost: 1, isLosing: false });
    const [gap, next] = readTrail(join(directory, 'audit/trail')).entries;
    expect([gap, next?.bytes]).toMatchObject([{ action: 'gap', details: { lost: 1 } }, 2]);
  });
});

describe('a file of the trail', () => {
  it.each([
    ['a link', (file: string, other: string) => symlinkSync(other, file)],
    ['a pipe', (file: string) => void execFileSync('mkfifo', ['-m', '600', file])],
  ])('that is %s is not written', async (_, make) => {
    const directory = tree({ other: '' });
    const other = join(directory, 'other');
    make(join(directory, '000001.jsonl'), other);
    const trail = trailIn(directory);
    trail.add(entry(1));
    await trail.close();
    expect(trail.state).toMatchObject({ lost: 1, isLosing: true });
    expect(readFileSync(other, 'utf8')).toBe('');
  });

  it('that is a pipe does not block a reader', () => {
    const directory = tree({});
    execFileSync('mkfifo', [join(directory, '000001.jsonl')]);
    expect(() => readTrail(directory)).toThrow(
      /000001.jsonl cannot be read: is not a regular file/,
    );
  });
});

describe('a full or slow disk', () => {
  it('loses entries, and the trail has as many in its gaps', async () => {
    // What each write does: some of its bytes are written, or it fails.
    const step = fc.oneof(
      fc.constant<number | 'fails'>('fails'),
      fc.integer({ min: 0, max: 300 }),
      fc.constant(Number.POSITIVE_INFINITY),
    );
    const batches = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      batches,
      async (steps, sizes) => {
        const directory = tree({}, () => {});
        const left = [...steps];
        const write = async (file: FileHandle, bytes: Uint8Array) => {
          const next = left.shift() ?? Number.POSITIVE_INFINITY;
          if (next === 'fails')
            throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
          return (await file.write(bytes.subarray(0, Math.min(next, bytes.length)))).bytesWritten;
        };
        const trail = trailIn(directory, { write });
        let added = 0;
        for (const size of sizes) {
          for (let each = 0; each < size; each++) trail.add(entry(++added));
          await turn();
        }
        left.length = 0;
        // The disk has space again, so that the last gap is written.
        trail.add(entry(++added));
        await trail.close();
        const { entries } = readTrail(directory);
        const lost = entries
          .filter(({ action }) => action === 'gap')
          .reduce((sum, { details }) => sum + Number(details?.['lost']), 0);
        const numbers = numbersIn(directory);
        rmSync(directory, { recursive: true });
        expect(numbers).toEqual(
          Array.from({ length: added + 1 }, (_, at) => at).filter((at) => numbers.includes(at)),
        );
        expect(numbers.length + lost).toBe(added);
        expect(trail.state).toMatchObject({ lost, isLosing: false });
      },
    );
    await fc.assert(property, runs(100));
  });

  it('takes a bounded amount of memory', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const directory = tree();
    const write = async (file: FileHandle, bytes: Uint8Array) => {
      await gate;
      return (await file.write(bytes)).bytesWritten;
    };
    const trail = trailIn(directory, { write });
    const large = new Uint8Array(megabyte);
    for (let each = 0; each < 40; each++) trail.add(entry(each, large));
    const { lost } = trail.state;
    expect(lost).toBeGreaterThan(20);
    release();
    await trail.close();
    expect(numbersIn(directory)).toHaveLength(40 - lost);
    const gaps = readTrail(directory).entries.filter(({ action }) => action === 'gap');
    expect(gaps).toEqual([expect.objectContaining({ details: expect.objectContaining({ lost }) })]);
  });
});

describe('reading', () => {
  it('finds a session by its names and its id, also after it was renamed or removed', () => {
    const line = (entry: object) =>
      JSON.stringify({ time: '2026-11-23T12:00:00.000Z', client: 'cli', ...entry });
    const lines = [
      { action: 'spawn', session: 'one', session_id: 'A', bytes: 1 },
      { action: 'send', session: 'one', refused: 'SESSION_NOT_FOUND', bytes: 2 },
      { action: 'rename', session: 'one', session_id: 'A', details: { new_name: 'two' }, bytes: 3 },
      { action: 'rm', session: 'two', session_id: 'A', bytes: 4 },
      { action: 'spawn', session: 'one', session_id: 'B', bytes: 5 },
      { action: 'web', bytes: 6 },
      { action: 'spawn', session: 'four', session_id: 'C', bytes: 7 },
      // Nothing has happened to it under its new name.
      {
        action: 'rename',
        session: 'four',
        session_id: 'C',
        details: { new_name: 'five' },
        bytes: 8,
      },
    ];
    const directory = tree({ '000001.jsonl': `${lines.map(line).join('\n')}\n`, 'notes.txt': 'x' });
    const bytesOf = (session: string) =>
      readTrail(directory, { session }).entries.map(({ bytes }) => bytes);
    expect(bytesOf('two')).toEqual([1, 3, 4]);
    expect(bytesOf('one')).toEqual([1, 2, 3, 4, 5]);
    expect(bytesOf('A')).toEqual([1, 3, 4]);
    expect(bytesOf('B')).toEqual([5]);
    expect(bytesOf('three')).toEqual([]);
    expect(bytesOf('five')).toEqual([7, 8]);
    expect(readTrail(directory, { last: 2 }).entries.map(({ bytes }) => bytes)).toEqual([7, 8]);
  });

  it('takes files in the order of their numbers, and leaves out a line that is being written', () => {
    const line = (bytes: number) => JSON.stringify({ time: '2026-11-23T12:00:00.000Z', bytes });
    const directory = tree({
      '000009.jsonl': `${line(9)}\n`,
      '000010.jsonl': `${line(10)}\n${line(11)}`,
    });
    const { entries, damaged } = readTrail(directory);
    expect([entries.map(({ bytes }) => bytes), damaged]).toEqual([[9, 10], 0]);
    writeFileSync(join(directory, '000010.jsonl'), 'null\n');
    expect(readTrail(directory).damaged).toBe(1);
    expect(readFileSync(join(directory, '000009.jsonl'), 'utf8')).toContain('9');
    expect(readTrail(join(directory, 'none'))).toEqual({ entries: [], damaged: 0 });
  });

  it('reads lines across the parts in which a file is read, and counts one that is too long', () => {
    const line = (bytes: number, text = '') =>
      JSON.stringify({ time: '2026-11-23T12:00:00.000Z', bytes, text });
    const long = [1, 2, 3].map((bytes) => line(bytes, 'ä'.repeat(megabyte)));
    const lines = [...long, '', line(4, 'x'.repeat(17 * megabyte)), line(5)];
    const directory = tree({ '000001.jsonl': `${lines.join('\n')}\n${line(6)}` });
    const { entries, damaged } = readTrail(directory);
    expect([entries.map(({ bytes }) => bytes), damaged]).toEqual([[1, 2, 3, 5], 1]);
    expect(entries[2]?.text).toBe('ä'.repeat(megabyte));
    const reader = new TrailReader(directory);
    expect([...reader.next()]).toHaveLength(4);
    appendFileSync(join(directory, '000001.jsonl'), `\n${line(7)}\n`);
    expect([...reader.next()].map(({ bytes }) => bytes)).toEqual([6, 7]);
    expect([[...reader.next()], reader.damaged]).toEqual([[], 1]);
  });
});
