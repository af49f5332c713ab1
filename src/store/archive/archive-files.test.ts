import {
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeUtf8 } from '#base';
import { tree } from '../../../test/support/tree.ts';
import { ArchiveFiles } from './archive-files.ts';

const key = new Uint8Array(32).fill(7);
const mib = 1024 * 1024;
let directory: string;
let logged: string[];

beforeEach(() => {
  directory = join(tree({}, afterEach), 'archive');
  logged = [];
});

const opened = (maxBytes = 64 * mib) =>
  new ArchiveFiles({ directory, maxBytes, log: (line) => void logged.push(line) });

/** Lines with their numbers as text. */
function block(from: number, to: number, pad = 0) {
  const texts = Array.from({ length: to - from }, (_, index) => `${from + index}`.padEnd(pad, '.'));
  const [first = '', ...rest] = texts.map((text) => `${text}\r\n`);
  return { from, to, parts: [encodeUtf8(first), encodeUtf8(rest.join(''))] };
}

const partsOf = (id: string) =>
  readdirSync(join(directory, id)).map((name) => join(directory, id, name));

describe('the archive of a session', () => {
  it('returns the blocks that were added, and their sizes', () => {
    const archive = opened().open('one', key, false);
    archive.add(block(10, 20), 30);
    archive.add(block(20, 25), 15);
    expect([archive.firstLine, archive.endLine]).toEqual([10, 25]);
    expect(archive.read(19)).toMatchObject({ from: 10, to: 20 });
    expect(Buffer.from(archive.read(20)?.bytes ?? []).toString()).toBe(
      '20\r\n21\r\n22\r\n23\r\n24\r\n',
    );
    expect([archive.read(9), archive.read(25)]).toEqual([null, null]);
    expect(archive.sizes(12, 21).map(({ textBytes }) => textBytes)).toEqual([30, 15]);
  });

  it.each(['flushed', 'read', 'closed'])('is in a file when it is %s', (how) => {
    const files = opened();
    const archive = files.open('one', key, false);
    archive.add(block(0, 10), 20);
    archive.add(block(10, 20), 20);
    expect(opened().open('one', key, true).endLine).toBe(0);
    if (how === 'flushed') archive.flush();
    else if (how === 'read') expect(archive.read(15)).toMatchObject({ from: 10, to: 20 });
    else files.close(false);
    const left = opened().open('one', key, true);
    expect([left.firstLine, left.endLine]).toEqual([0, 20]);
  });

  it('is written in parts of 256 KiB', () => {
    const archive = opened().open('one', key, false);
    const written = () => opened().open('one', key, true).endLine;
    archive.add(block(0, 255, 1022), 255 * 1024);
    expect(written()).toBe(0);
    archive.add(block(255, 257, 1022), 2048);
    expect(written()).toBe(257);
  });

  it('has the last lines of a part that is full', () => {
    const files = opened();
    const archive = files.open('one', key, false);
    const blocks = Array.from(
      { length: 80 },
      (_, index) => [57 * index, 57 * (index + 1)] as const,
    );
    for (const [from, to] of blocks) archive.add(block(from, to, 1022), 57 * 1024);
    files.close(false);
    const left = opened().open('one', key, true);
    expect(partsOf('one')).toHaveLength(2);
    expect(blocks.filter(([from, to]) => left.read(from)?.to !== to)).toEqual([]);
    expect(logged).toEqual([]);
  });

  it('does not have lines that could not be written, and has those after them', () => {
    const archive = opened().open('one', key, false);
    archive.add(block(0, 10), 20);
    // Links are not followed.
    symlinkSync('elsewhere', join(directory, 'one', `${'0'.repeat(16)}.lines`));
    archive.flush();
    expect([archive.endLine, archive.read(5), logged.length]).toEqual([0, null, 1]);
    archive.add(block(10, 20), 20);
    expect(archive.read(15)).toMatchObject({ from: 10, to: 20 });
    expect(archive.firstLine).toBe(10);
  });

  it('is continued by another process, which skips what it has', () => {
    const files = opened();
    files.open('one', key, false).add(block(0, 10), 20);
    files.close(false);
    const archive = opened().open('one', key, true);
    archive.add(block(0, 10), 20);
    archive.add(block(5, 15), 25);
    expect([archive.firstLine, archive.endLine]).toEqual([0, 15]);
    // The block has all lines that were added with it; those before it are not read from it.
    expect(archive.read(9)).toMatchObject({ from: 0, to: 10 });
    expect(archive.read(12)).toMatchObject({ from: 10, to: 15 });
    expect(Buffer.from(archive.read(12)?.bytes ?? []).toString()).toContain('5\r\n6\r\n');
  });

  it('has no older lines where some are missing', () => {
    const archive = opened().open('one', key, false);
    archive.add(block(0, 10), 20);
    archive.add(block(11, 20), 20);
    expect([archive.firstLine, archive.endLine, archive.read(5)]).toEqual([11, 20, null]);
  });

  it('is only for the user, and not readable without the key', () => {
    const files = opened();
    files.open('one', key, false).add(block(0, 10), 20);
    files.close(false);
    expect(statSync(join(directory, 'one')).mode & 0o777).toBe(0o700);
    for (const path of partsOf('one')) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path).includes('5\r\n')).toBe(false);
    }
    const other = opened().open('one', new Uint8Array(32), true);
    expect(other.read(3)).toBe(null);
    expect(logged.join()).toContain('warning: lines above the scrollback are not archived');
  });

  it('ends before a block that is cut or damaged', () => {
    const files = opened();
    const archive = files.open('one', key, false);
    archive.add(block(0, 10), 20);
    archive.add(block(10, 20), 20);
    files.close(false);
    const [path = ''] = partsOf('one');
    truncateSync(path, statSync(path).size - 1);
    const left = opened().open('one', key, true);
    expect([left.firstLine, left.endLine]).toEqual([0, 10]);
    left.add(block(10, 30), 40);
    expect(left.read(29)).toMatchObject({ from: 10, to: 30 });
    writeFileSync(path, 'no archive');
    expect(opened().open('one', key, true).endLine).toBe(0);
  });

  it('is removed when its lines are erased, and with its session', () => {
    const files = opened();
    const archive = files.open('one', key, false);
    archive.add(block(0, 10), 20);
    archive.erase();
    expect(partsOf('one')).toEqual([]);
    archive.add(block(10, 20), 20);
    expect([archive.firstLine, archive.endLine]).toEqual([10, 20]);
    files.open('two', key, false).add(block(0, 10), 20);
    files.remove('one');
    expect(readdirSync(directory)).toEqual(['two']);
    files.keepOnly(new Set());
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('the limit of all archives', () => {
  it('removes the oldest lines of the session with the most', () => {
    const files = opened(20 * mib);
    const small = files.open('small', key, false);
    small.add(block(0, 10), 20);
    const large = files.open('large', key, false);
    const lines = 1024;
    for (let from = 0; from < 30 * lines; from += lines) {
      large.add(block(from, from + lines, 1022), mib);
    }
    expect(large.bytes).toBeLessThanOrEqual(20 * mib);
    expect(large.bytes).toBeGreaterThan(14 * mib);
    expect(large.endLine).toBe(30 * lines);
    expect(large.firstLine % (4 * lines)).toBe(0);
    expect(large.read(large.firstLine)).not.toBe(null);
    expect(small.firstLine).toBe(0);
  });
});
