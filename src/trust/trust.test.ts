import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { tree } from '../../test/support/tree.ts';
import {
  fileProblem,
  loopbackUser,
  mayConnect,
  ownProblem,
  parentsProblem,
  socketProblem,
  temporaryDirectory,
  thisUser,
  untrustedSocket,
  writeProblem,
} from './index.ts';

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

describe('a file', () => {
  const read = { owner: 'user', others: 'read' } as const;
  const system = { owner: 'system', others: 'read' } as const;
  const secret = { owner: 'user', others: 'nothing' } as const;
  const user = { uid: 7, groups: [7] };
  const problem = (
    uid: number,
    mode: number,
    rule: typeof read | typeof system | typeof secret,
    gid = 100,
  ) => ownProblem('/f', { uid, gid, mode }, rule, user)?.problem ?? null;

  it.each([
    ['mine', 7, 0o100644, [null, null, 'accessible']],
    ['mine, for me alone', 7, 0o100600, [null, null, null]],
    ['mine, which a group may change', 7, 0o100664, ['writable', 'writable', 'accessible']],
    [
      'mine, which all may change, with a bit that means nothing',
      7,
      0o101666,
      ['writable', 'writable', 'accessible'],
    ],
    ["root's", 0, 0o100644, ['belongs to user 0', null, 'belongs to user 0']],
    [
      "another user's",
      8,
      0o100600,
      ['belongs to user 8', 'belongs to user 8', 'belongs to user 8'],
    ],
  ] as const)(
    'of another user, or which others can change, has a problem: %s',
    (_about, uid, mode, expected) => {
      const problems = [read, system, secret].map((rule) => problem(uid, mode, rule));
      expect(problems).toEqual(
        expected.map((each) => (each === null ? null : expect.stringContaining(each))),
      );
    },
  );

  it('may be writable for the own group of its owner', () => {
    expect(problem(7, 0o100664, read, 7)).toBeNull();
    expect(problem(7, 0o100666, read, 7)).toContain('writable by others');
  });

  it('has the problem of the directories above it, too', () => {
    const directory = tree({ 'top/file': '' });
    const file = join(directory, 'top/file');
    const problemNow = () => fileProblem(file, statSync(file), read)?.problem ?? null;
    expect(problemNow()).toBeNull();
    chmodSync(join(directory, 'top'), 0o777);
    expect(problemNow()).toContain('write to the directory');
  });

  provided(me.uid === 0, 'only as root: changes the owner of a directory')(
    'in a sticky directory of another user can be replaced by that user',
    () => {
      const shared = join(tree(), 'shared');
      mkdirSync(join(shared, 'own'), { recursive: true });
      chmodSync(shared, 0o1777);
      chownSync(shared, 12_345, 12_345);
      for (const each of ['own', 'own/new', 'new'])
        expect(parentsProblem(join(shared, each))?.problem).toContain('belongs to user 12345');
      onTestFinished(() => void vi.unstubAllEnvs());
      vi.stubEnv('TMPDIR', shared);
      expect(temporaryDirectory()).toBe('/tmp');
    },
  );
});

describe('what is in a directory that all users share', () => {
  provided(me.uid === 0, 'only as root: changes the owner of a link')(
    'is not written through a link or a pipe of another user',
    () => {
      const shared = tree({ file: '' });
      chmodSync(shared, 0o1777);
      const at = (name: string) => join(shared, name);
      const target = tree({ target: '' });
      symlinkSync(join(target, 'target'), at('own'));
      symlinkSync('theirs', at('to-theirs'));
      for (const name of ['theirs', 'theirs-too']) {
        symlinkSync(name === 'theirs' ? join(target, 'target') : target, at(name));
        lchownSync(at(name), 12_345, 12_345);
      }
      chownSync(at('file'), 12_345, 12_345);
      const problem = (name: string) => writeProblem(at(name))?.problem ?? null;
      expect(['own', 'file', 'none', 'own/none'].map(problem)).toEqual([null, null, null, null]);
      const inPlace = ['own', 'file', 'none'].map((name) => writeProblem(at(name), 'in_place'));
      const foreign = { problem: expect.stringContaining('/file belongs to user 12345') };
      expect(inPlace).toEqual([null, expect.objectContaining(foreign), null]);
      for (const name of ['theirs', 'to-theirs', 'theirs-too/target', 'theirs-too/none'])
        expect(problem(name), name).toMatch(/\/theirs(-too)? belongs to user 12345/);
      // Only its owner, or this user, can have put it in another directory.
      chmodSync(shared, 0o755);
      expect(problem('theirs')).toBeNull();
    },
  );
});

it('no other room asks for the user of this process', () => {
  const rooms = fileURLToPath(new URL('..', import.meta.url));
  const asking = readdirSync(rooms, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('trust/'))
    .filter((file) => /\bgete?uid\b/.test(readFileSync(join(rooms, file), 'utf8')));
  expect(asking).toEqual([]);
});

describe('the user at the other end of a TCP connection', () => {
  const row = (local: string, remote: string, uid: number) =>
    `   7: 0100007F:${local} 0100007F:${remote} 01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 98 1\n`;
  const of = (...rows: string[]) =>
    loopbackUser({ localPort: 0x1f90, remotePort: 0xa001 }, (table) =>
      table.endsWith('6') ? '' : ['  sl  local_address', ...rows].join('\n'),
    );
  const mine = me.uid;

  it('is the owner of the socket with these ports, and another user before this one', () => {
    expect(of(row('1F90', 'A001', mine), row('A001', '1F90', 8))).toBe(8);
    expect(of(row('A001', '1F90', mine))).toBe(mine);
    expect(of(row('A001', '1F90', mine), row('A001', '1F90', 8))).toBe(8);
    expect([of(), of(row('A002', '1F90', 8))]).toEqual([null, null]);
  });

  provided(process.platform === 'linux', 'only on Linux: reads /proc')(
    'is found for a connection of this process',
    async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      onTestFinished(() => void client.destroy());
      expect(loopbackUser(await accepted)).toBe(mine);
    },
  );
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
