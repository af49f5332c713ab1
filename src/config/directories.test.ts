import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { directoryProblem, ensurePrivateDirectory } from './directories.ts';

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
