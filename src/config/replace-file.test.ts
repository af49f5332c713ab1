import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { replaceFile } from './replace-file.ts';

describe('replaceFile', () => {
  it('replaces a file', () => {
    const directory = tree();
    const file = join(directory, 'a');
    replaceFile(file, 'one');
    replaceFile(file, 'two');
    expect([readdirSync(directory), readFileSync(file, 'utf8')]).toEqual([['a'], 'two']);
  });

  it.each(['ENOSPC', 'EDQUOT', 'EACCES', 'EIO'])(
    'leaves the file unchanged and no other file behind after %s',
    (code) => {
      const directory = tree();
      const file = join(directory, 'a');
      writeFileSync(file, 'one');
      const failing = (path: string) => {
        writeFileSync(path, 'tw');
        throw Object.assign(new Error(code), { code });
      };
      expect(() => replaceFile(file, 'two', failing)).toThrow(code);
      expect([readdirSync(directory), readFileSync(file, 'utf8')]).toEqual([['a'], 'one']);
    },
  );

  it('does not remove a temporary file of another process', () => {
    const directory = tree();
    const file = join(directory, 'a');
    const temporary = `a.${process.pid}.tmp`;
    writeFileSync(join(directory, temporary), 'theirs');
    expect(() => replaceFile(file, 'two')).toThrow('EEXIST');
    expect(readFileSync(join(directory, temporary), 'utf8')).toBe('theirs');
  });
});
