import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { statNow } from './stat-now.ts';

describe('a look at a file that does not wait', () => {
  const isKnown = statNow(process.cwd()) !== null;
  const onLinux = provided(isKnown, 'needs Linux 5.12 and koffi');

  onLinux('has what stat(2) has', () => {
    const root = tree({ 'dir/file': 'text' });
    const file = join(root, 'dir/file');
    symlinkSync('dir', join(root, 'link'));
    // The first looks of stat(2) fill the caches.
    for (const path of [file, join(root, 'dir'), join(root, 'link'), root]) {
      const stats = statSync(path);
      const now = statNow(path);
      if (now === null || now === 'missing') throw new Error(`${path} is ${now}`);
      const { uid, ino, size, mtimeMs, ctimeMs } = stats;
      expect(now).toMatchObject({ uid, ino, size, mtimeMs, ctimeMs });
      expect(now.isFile()).toBe(stats.isFile());
      expect(now.isDirectory()).toBe(stats.isDirectory());
    }
  });

  onLinux('tells a file that has gone, changed or come, or does not know it', () => {
    const root = tree({ 'dir/file': 'text' });
    const path = join(root, 'dir/new');
    statSync(path, { throwIfNoEntry: false });
    expect([null, 'missing']).toContain(statNow(path));
    writeFileSync(path, 'one');
    expect(statNow(path)).toMatchObject({ size: 3 });
    writeFileSync(path, 'three');
    expect(statNow(path)).toMatchObject({ size: 5 });
    rmSync(path);
    mkdirSync(path);
    expect(statNow(path)).toMatchObject({ ino: statSync(path).ino });
    rmSync(path, { recursive: true });
    expect([null, 'missing']).toContain(statNow(path));
    expect(statNow(join(root, 'dir/file/below'))).toBeNull();
  });

  onLinux('leaves no file open', () => {
    const path = join(tree({ file: 'text' }), 'file');
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let look = 0; look < 100; look++) statNow(path);
    expect(open() - before).toBeLessThan(50);
  });

  onLinux('does not look at another path, where a name ends with NUL for the system', () => {
    const path = join(tree({ file: 'text' }), 'file');
    expect(statNow(path)).not.toBeNull();
    expect(statNow(`${path}\0`)).toBeNull();
  });
});
