import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import {
  createFile,
  directoryProblem,
  ensurePrivateDirectory,
  overwriteFile,
  replaceFile,
} from './write-file.ts';

describe('write file', () => {
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

  provided(process.getuid?.() === 0, 'only as root: changes the owner of a file')(
    "a file that replaces another user's is not readable for that user",
    () => {
      const file = join(tree({ a: 'one' }), 'a');
      chmodSync(file, 0o666);
      chownSync(file, 12_345, 12_345);
      overwriteFile(file, 'two', { mode: 0o600 });
      expect([statSync(file).mode & 0o777, statSync(file).uid]).toEqual([0o600, 0]);
    },
  );

  it('a file that cannot be replaced leaves no temporary one', () => {
    const directory = tree({ 'a/b': '' });
    expect(() => replaceFile(join(directory, 'a'), 'two')).toThrow(
      /a cannot be written: .*E[A-Z]+/,
    );
    expect(readdirSync(directory)).toEqual(['a']);
  });

  it('files of others stay, also those that a killed process left', () => {
    const left = `a.${process.pid}.tmp`;
    const directory = tree({ [left]: 'theirs', b: 'theirs' });
    replaceFile(join(directory, 'a'), 'two');
    expect(() => createFile(join(directory, 'b'), 'two')).toThrow('EEXIST');
    const contents = ['a', left, 'b'].map((name) => readFileSync(join(directory, name), 'utf8'));
    expect(contents).toEqual(['two', 'theirs', 'theirs']);
  });

  it('a name can be as long as the file system allows', () => {
    const file = join(tree(), 'n'.repeat(255));
    replaceFile(file, 'one');
    expect(readFileSync(file, 'utf8')).toBe('one');
  });

  describe('a file of the user', () => {
    it('keeps its permissions when it is replaced', () => {
      const directory = tree({ a: 'one' });
      const file = join(directory, 'a');
      // More than the usual umask allows.
      chmodSync(file, 0o666);
      overwriteFile(file, 'two');
      expect(readFileSync(file, 'utf8')).toBe('two');
      expect(statSync(file).mode & 0o777).toBe(0o666);
    });

    it('is written where a link leads', () => {
      const directory = tree({ a: 'one' });
      symlinkSync('a', join(directory, 'link'));
      overwriteFile(join(directory, 'link'), 'two');
      expect(readFileSync(join(directory, 'a'), 'utf8')).toBe('two');
      expect(readlinkSync(join(directory, 'link'))).toBe('a');
    });
  });
});

describe('a private directory', () => {
  it('is made with its parents, for the user alone', () => {
    const directory = join(tree(), 'a/b');
    const umask = process.umask(0o777);
    try {
      ensurePrivateDirectory(join(directory, '..'));
    } finally {
      process.umask(umask);
    }
    ensurePrivateDirectory(directory);
    expect(directoryProblem(directory)).toBeNull();
  });

  it('is refused if others can write to it, or if it is a symbolic link', () => {
    const open = tree();
    chmodSync(open, 0o770);
    expect(directoryProblem(open)?.fix).toContain(`chmod 700 ${open}`);
    const link = join(tree(), 'link');
    symlinkSync(open, link);
    expect(directoryProblem(link)?.problem).toContain('symbolic link');
    expect(directoryProblem('/tmp')?.fix).not.toContain('chmod');
  });

  it('may be entered by its group if the socket is open to it', () => {
    const directory = tree();
    chmodSync(directory, 0o750);
    // Root's directories may be readable for all.
    const isRoot = process.getuid?.() === 0;
    expect(directoryProblem(directory) === null).toBe(isRoot);
    expect(directoryProblem(directory, { isGroupOpen: true })).toBeNull();
    chmodSync(directory, 0o770);
    expect(directoryProblem(directory, { isGroupOpen: true })?.fix).toContain('chmod 750');
  });

  it('is refused if another user could replace a directory above it', () => {
    const above = tree();
    const directory = join(above, 'run');
    ensurePrivateDirectory(directory);
    chmodSync(above, 0o777);
    expect(directoryProblem(directory)?.problem).toContain(above);
    expect(() => ensurePrivateDirectory(directory)).toThrow(`chmod go-w ${above}`);
  });
});
