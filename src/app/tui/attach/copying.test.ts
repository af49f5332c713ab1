import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { Keys } from '../keys.ts';
import type { CopyTarget } from '../view/scroll.ts';
import { type CopyPlaces, copyText, pastesOf } from './copying.ts';

const directory = mkdtempSync(join(tmpdir(), 'vtr-copying-'));
const taken = join(directory, 'taken');
afterAll(() => rmSync(directory, { recursive: true }));

/** No clipboard of a system: as over ssh. */
beforeEach(() => {
  vi.stubEnv('SSH_CONNECTION', '10.0.0.1 1 10.0.0.2 22');
  return () => vi.unstubAllEnvs();
});

const clipboard: CopyTarget = { type: 'clipboard' };

function places(more: Partial<CopyPlaces> = {}): CopyPlaces & { copies: string[] } {
  const requests: string[] = [];
  const setClipboard = (text: string) => {
    requests.push(text);
    return true;
  };
  const keys = new Keys({ key: 'b', ctrl: true });
  return {
    buffer: { text: null },
    copyCommand: null,
    setClipboard,
    keys,
    copies: requests,
    ...more,
  };
}

it('says that the terminal was asked, which does not tell whether it took the text', async () => {
  const here = places();
  expect(await copyText('ab', '2 characters', clipboard, here)).toBe(
    "copied 2 characters; sent to the terminal's clipboard",
  );
  expect(here.copies).toEqual(['ab']);
  expect(here.buffer.text).toBe('ab');
});

it('says that only vtr has it where there is no clipboard', async () => {
  const here = places({ setClipboard: () => false });
  expect(await copyText('ab', '2 characters', clipboard, here)).toBe(
    'copied 2 characters for Ctrl+b ] only: no clipboard here',
  );
});

it.each([
  [`cat > '${taken}'`, 'copied 1 line'],
  ['exit 3', 'copied 1 line for Ctrl+b ] only: exit 3: ended with status 3'],
  [
    'echo no display >&2; exit 1',
    'copied 1 line for Ctrl+b ] only: echo no display >&2; exit 1: no display',
  ],
])('the copy command %s: %s', async (copyCommand, said) => {
  const here = places({ copyCommand });
  expect(await copyText('text', '1 line', clipboard, here)).toBe(said);
  expect(here.copies).toEqual([]);
  expect(here.buffer.text).toBe('text');
  if (said === 'copied 1 line') expect(readFileSync(taken, 'utf8')).toBe('text');
});

it('a copy command that stays in the background, as xclip does, is not awaited', async () => {
  const pid = join(directory, 'pid');
  const here = places({ copyCommand: `cat > '${taken}'; sleep 600 & echo $! > '${pid}'` });
  try {
    expect(await copyText('text', '1 line', clipboard, here)).toBe('copied 1 line');
  } finally {
    process.kill(Number(readFileSync(pid, 'utf8')));
  }
});

it('a command that is typed gets it, or the person reads why not', async () => {
  const pipe = (command: string) => copyText('x', '1 line', { type: 'pipe', command }, places());
  expect(await pipe(`cat > '${taken}'`)).toBe(`sent 1 line to cat > '${taken}'`);
  expect(readFileSync(taken, 'utf8')).toBe('x');
  await expect(pipe('exit 4')).rejects.toThrow('exit 4: ended with status 4');
});

it('a file gets it, unless it exists', async () => {
  const path = join(directory, 'new.txt');
  const save = (to: string) => copyText('x\ny', '2 lines', { type: 'file', path: to }, places());
  expect(await save(path)).toBe(`wrote 2 lines to ${path}`);
  expect(readFileSync(path, 'utf8')).toBe('x\ny\n');
  writeFileSync(path, 'kept');
  await expect(save(path)).rejects.toThrow('the file exists already');
  expect(readFileSync(path, 'utf8')).toBe('kept');
  await expect(save(join(directory, 'no/such'))).rejects.toThrow('not written');
});

it('what is appended is pasted with what was copied before', async () => {
  const here = places();
  await copyText('a', '1 character', clipboard, here);
  await copyText('b', '1 character', { type: 'append' }, here);
  expect(here.buffer.text).toBe('ab');
  expect(here.copies).toEqual(['a', 'ab']);
});

it.each(['', 'short', 'x'.repeat(600_000), `${'x'.repeat(262_143)}😀y`])(
  'a paste of %# has parts that one call accepts, and nothing is lost',
  (text) => {
    const events = pastesOf(text);
    const parts = events.map((event) => (event.type === 'paste' ? event.text : ''));
    expect(parts.join('')).toBe(text);
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThan(1024 * 1024);
    expect(events.map((event) => (event.type === 'paste' ? (event.part ?? 0) : -1))).toEqual(
      parts.map((_, at) => at),
    );
  },
);
