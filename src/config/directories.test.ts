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
});
