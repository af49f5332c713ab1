import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import { mayConnect, parentsProblem, socketProblem, thisUser, untrustedSocket } from './index.ts';

const me = thisUser();
/** Another user, to whom all our files are foreign. */
const other = { uid: me.uid + 1, groups: [me.uid + 1] };

/** A private directory with a socket. */
async function served(mode = 0o600): Promise<{ directory: string; socket: string }> {
  const directory = tree();
  const socket = join(directory, 'vtr.sock');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  chmodSync(socket, mode);
  return { directory, socket };
}

describe('a socket', () => {
  it('is used by its owner and by root, and by nobody else', async () => {
    const { socket } = await served();
    expect(socketProblem(socket)).toBeNull();
    expect(socketProblem(socket, { uid: 0, groups: [0] })).toBeNull();
    expect(socketProblem(socket, other)?.problem).toContain(`belongs to user ${me.uid}`);
  });

  it('is open to members of its group if its owner chose so, and not if everybody may connect', async () => {
    const { socket } = await served(0o660);
    const member = { uid: other.uid, groups: me.groups };
    expect(socketProblem(socket, member)).toBeNull();
    expect(socketProblem(socket, other)).not.toBeNull();
    chmodSync(socket, 0o666);
    expect(socketProblem(socket, member)).not.toBeNull();
  });

  it('that a link leads to is checked, with the directories above it', async () => {
    const { directory, socket } = await served();
    const link = join(tree(), 'link.sock');
    symlinkSync(socket, link);
    expect(socketProblem(link)).toBeNull();
    chmodSync(directory, 0o777);
    expect(socketProblem(link)?.problem).toContain(`write to the directory ${directory}`);
  });

  it('that does not exist is no problem of its own', () => {
    expect(socketProblem(join(tree(), 'vtr.sock'))).toBeNull();
    expect(socketProblem('/no/such/vtr.sock')).toBeNull();
  });

  it('is refused with the path, the reason and the fix', async () => {
    const { directory, socket } = await served();
    chmodSync(directory, 0o777);
    expect(untrustedSocket(socket)).toEqual({
      message: expect.stringMatching(/did not connect to .*vtr\.sock: .*chmod go-w /),
      details: { socket, reason: 'UNTRUSTED' },
    });
  });
});

describe('the directories above', () => {
  /** top/mid/low */
  const three = () => {
    const top = join(tree(), 'top');
    const low = join(top, 'mid/low');
    mkdirSync(low, { recursive: true, mode: 0o700 });
    return { top, mid: join(top, 'mid'), low };
  };

  it('may not be writable for others at any level, unless they are sticky', () => {
    const { top, low } = three();
    expect(parentsProblem(low)).toBeNull();
    chmodSync(top, 0o777);
    expect(parentsProblem(low)?.problem).toContain(`write to the directory ${top} (mode 777)`);
    chmodSync(top, 0o1777);
    expect(parentsProblem(low)).toBeNull();
  });

  it('may be writable for the own group of their owner only', () => {
    const { mid, low } = three();
    chmodSync(mid, 0o770);
    const isOwnGroup = me.groups[0] === me.uid;
    expect(parentsProblem(low) === null).toBe(isOwnGroup);
  });

  it('are those that a link leads to, too', () => {
    const { top, low } = three();
    const link = join(tree(), 'link');
    symlinkSync(low, link);
    expect(parentsProblem(link)).toBeNull();
    chmodSync(top, 0o777);
    expect(parentsProblem(link)?.problem).toContain(top);
    rmSync(link);
    symlinkSync(link, link);
    expect(parentsProblem(link)).toBeNull();
  });

  provided(me.uid === 0, 'only as root: changes the owner of a directory')(
    'may not belong to another user, except to the owner of the socket',
    async () => {
      const { directory, socket } = await served();
      chownSync(directory, 12_345, 12_345);
      expect(socketProblem(socket)?.problem).toContain('belongs to user 12345');
      chownSync(socket, 12_345, 12_345);
      expect(socketProblem(socket)).toBeNull();
    },
  );

  it('of the system are safe', () => {
    for (const path of ['/', '/tmp', '/usr/bin']) expect(parentsProblem(path), path).toBeNull();
  });
});

describe('a process that connects', () => {
  it('is of this user or of root, unless the socket is open to a group', () => {
    const isLetIn = (uid: number | null, mode: number) =>
      mayConnect(uid, mode, { uid: 7, groups: [] });
    expect([7, 0, null].map((uid) => isLetIn(uid, 0o600))).toEqual([true, true, true]);
    expect([8, 65_534].map((uid) => isLetIn(uid, 0o600))).toEqual([false, false]);
    expect(isLetIn(8, 0o660)).toBe(true);
  });
});
