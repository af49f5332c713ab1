import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Context } from '../context.ts';
import { openOwnFiles, startsServer } from './run-tmux.ts';

const directory = mkdtempSync(join(tmpdir(), 'vtr-own-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

let reads = 0;
let printed = '';
const context = {
  cwd: directory,
  flushed: async () => {},
  onReaderGone: () => {},
  readInput: async () => {
    reads++;
    return Buffer.from('typed');
  },
  out: (data: string) => {
    printed += data;
  },
} as unknown as Context;

describe('openOwnFiles', () => {
  it.each([
    ['save-buffer -'],
    ['bind-key - split-window'],
    ['send-keys -'],
    ['load-buffer -b - file'],
    ['source-file none.conf ; send-keys -'],
    ['loa /dev/null'],
  ])('%s: does not read standard input', async (line) => {
    reads = 0;
    const words = line.split(' ');
    expect(await openOwnFiles(context, words, context.out)).toMatchObject({ words });
    expect(reads).toBe(0);
  });

  it.each([
    ['load-buffer -', 'load-buffer -'],
    ['loadb -b name -', 'loadb -b name -'],
    ['new-session -d ; loa -bname -w /dev/stdin', 'new-session -d ; loa -bname -w -'],
    ['source -q -; display-message x', 'source -q -; display-message x'],
    ['so /dev/fd/0', 'so -'],
  ])('%s: reads standard input', async (line, passed) => {
    const { words, input } = await openOwnFiles(context, line.split(' '), context.out);
    expect([words.join(' '), input]).toEqual([passed, 'typed']);
  });

  it('reads and writes descriptors of the caller', async () => {
    const path = join(directory, 'file');
    writeFileSync(path, 'content');
    const open = openSync(path, 'r+');
    const read = await openOwnFiles(context, ['load-buffer', `/dev/fd/${open}`], context.out);
    expect(read).toMatchObject({ words: ['load-buffer', '-'], input: 'content' });
    const written = await openOwnFiles(context, ['saveb', '-a', `/dev/fd/${open}`], context.out);
    expect(written.words).toEqual(['saveb', '-a', '-']);
    await written.print(' and more');
    expect(readFileSync(path, 'utf8')).toBe('content and more');
    closeSync(open);
    const shown = await openOwnFiles(context, ['save-buffer', '/dev/stdout'], context.out);
    await shown.print('shown');
    expect(printed).toBe('shown');
  });

  it('refuses several', async () => {
    await expect(
      openOwnFiles(context, ['source-file', '-', '/dev/fd/9'], context.out),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('cannot pass several of -, /dev/fd/9'),
    });
  });
});

describe('startsServer', () => {
  it.each([
    ['', true],
    ['new', true],
    ['lsk', true],
    ['set -g mouse on ; new -d', true],
    ['set -g mouse on; att', true],
    ['send-keys -t x new', false],
    ['has-session -t start', false],
    ['l', false],
    ['none', false],
  ])('of %j: %s', (line, starts) => {
    expect(startsServer(line === '' ? [] : line.split(' '))).toBe(starts);
  });
});
