import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { expandPath } from './expand-path.ts';

describe('expandPath', () => {
  async function sockets(...paths: readonly string[]): Promise<string> {
    const root = tree({ 'file.sock': '', 'b/other.txt': '' });
    for (const path of paths) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      const server = createServer().listen(join(root, path));
      onTestFinished(() => void server.close());
      await once(server, 'listening');
    }
    return root;
  }

  it.each([
    ['*.sock', ['a.sock', 'b.sock']],
    ['?.sock', ['a.sock', 'b.sock']],
    ['[ac].sock', ['a.sock']],
    ['[!a].sock', ['b.sock']],
    ['*/vtr.sock', ['b/vtr.sock', 'c/vtr.sock']],
    ['b/*', ['b/vtr.sock']],
    ['.*.sock', ['.h.sock']],
    ['a.s[o', []],
    ['[z-a].sock', []],
    ['none/*.sock', []],
  ])('expands %s to the matching sockets', async (glob, expected) => {
    const root = await sockets('a.sock', 'b.sock', '.h.sock', 'b/vtr.sock', 'c/vtr.sock');
    expect(expandPath(join(root, glob))).toEqual(expected.map((path) => join(root, path)));
  });

  it('returns a plain path unchanged, whether or not it exists', () => {
    expect(expandPath('/no/such.sock')).toEqual(['/no/such.sock']);
  });
});
