import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { createFile, replaceFile } from './write-file.ts';

const reasons = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EIO: 'i/o error',
};

/** Writes a part, and fails as Node does. */
const failing = (code: string, reason: string) => (file: number) => {
  writeSync(file, 'tw');
  throw Object.assign(new Error(`${code}: ${reason}, write`), { code });
};

describe.each(Object.entries(reasons))('after %s', (code, reason) => {
  const write = failing(code, reason);
  const ioError = (path: string) =>
    expect.objectContaining({
      code: 'IO_ERROR',
      message: `${path} cannot be written: ${reason} (${code})`,
      details: { path, reason: code },
    });

  it('a file that was to be replaced is unchanged, and there is no other', () => {
    const directory = tree({ a: 'one' });
    const file = join(directory, 'a');
    expect(() => replaceFile(file, 'two', { write })).toThrow(ioError(file));
    expect([readdirSync(directory), readFileSync(file, 'utf8')]).toEqual([['a'], 'one']);
  });

  it('a file that was to be created does not exist', () => {
    const directory = tree();
    const file = join(directory, 'a');
    expect(() => createFile(file, 'one', { write })).toThrow(ioError(file));
    expect(readdirSync(directory)).toEqual([]);
  });
});

it('a file that is replaced has the new content', () => {
  const directory = tree();
  const file = join(directory, 'a');
  replaceFile(file, 'one');
  replaceFile(file, 'two');
  expect([readdirSync(directory), readFileSync(file, 'utf8')]).toEqual([['a'], 'two']);
});

it('a file that cannot be replaced leaves no temporary one', () => {
  const directory = tree({ 'a/b': '' });
  expect(() => replaceFile(join(directory, 'a'), 'two')).toThrow(/a cannot be written: .*E[A-Z]+/);
  expect(readdirSync(directory)).toEqual(['a']);
});

it('files of others stay', () => {
  const temporary = `a.${process.pid}.tmp`;
  const directory = tree({ [temporary]: 'theirs', b: 'theirs' });
  expect(() => replaceFile(join(directory, 'a'), 'two')).toThrow('EEXIST');
  expect(() => createFile(join(directory, 'b'), 'two')).toThrow('EEXIST');
  const contents = [temporary, 'b'].map((name) => readFileSync(join(directory, name), 'utf8'));
  expect(contents).toEqual(['theirs', 'theirs']);
});
