import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { claimHolder, claimSocket } from './claim.ts';
import { isAlive, thisProcess } from './process-identity.ts';

const dead = async () => false;
const claims = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.claim'));

describe('claimSocket', () => {
  it('is held until released, and told by a file that says who holds it', async () => {
    const folder = tree();
    const socket = join(folder, 'a.sock');
    const claim = await claimSocket(socket, { isLive: dead });
    expect(claimHolder(socket)).toEqual(thisProcess());
    claim?.release();
    expect([claimHolder(socket), claims(folder)]).toEqual([null, []]);
  });

  it('is not had where somebody answers', async () => {
    const folder = tree();
    expect(await claimSocket(join(folder, 'a.sock'), { isLive: async () => true })).toBeNull();
    expect(claims(folder)).toEqual([]);
  });

  it('takes away what the dead have left, and nothing that is another socket’s', async () => {
    const folder = tree();
    const { pid } = spawnSync('true');
    const { pid: own, start } = thisProcess();
    writeFileSync(join(folder, `a.sock.${pid}-1.claim`), '');
    // Our number, and another process: it had the number before us.
    writeFileSync(join(folder, `a.sock.${own}-${start - 1}.claim`), '');
    writeFileSync(join(folder, `a.sock.sock.${pid}-1.claim`), '');
    await claimSocket(join(folder, 'a.sock'), { isLive: dead });
    expect(claims(folder).sort()).toEqual(
      [`a.sock.${own}-${start}.claim`, `a.sock.sock.${pid}-1.claim`].sort(),
    );
  });

  it('waits for a holder that has not come to answer yet', async () => {
    const folder = tree();
    const socket = join(folder, 'a.sock');
    const holder = thisProcess();
    const claim = await claimSocket(socket, { isLive: dead, self: holder });
    let answers = 0;
    const late = { isLive: async () => ++answers > 3, self: { pid: 1, start: -1 } };
    expect(await claimSocket(socket, late)).toBeNull();
    claim?.release();
    expect(claims(folder)).toEqual([]);
  });
});

it('a process is known by its number and its start', () => {
  const self = thisProcess();
  expect(isAlive(self)).toBe(true);
  expect(isAlive({ ...self, start: self.start + 1 })).toBe(false);
});
