import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellQuoted } from '#base';
import { root } from '../../../scripts/root.mjs';
import { chosenNode } from '../../../src/app/cli/install/install-there.ts';
import { readMachine } from '../../../src/app/cli/install/package-files.ts';
import { canBringNode } from '../../support/command/bundled-node.ts';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';
import { canMount } from '../../support/pty/mount-namespace.ts';
import { needsSshd, provided } from '../../support/run/needs.ts';
import { hasSshd, Sshd } from '../../support/sshd/sshd.ts';
import { tree } from '../../support/tree.ts';

const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What the scripts run on the other side, except Node.js. */
const tools = [
  'sh',
  'chmod',
  'cat',
  'find',
  'gzip',
  'ln',
  'mkdir',
  'mv',
  'readlink',
  'rm',
  'sed',
  'tail',
  'tar',
];

const script = (lines: string) => `#!/bin/sh\n${lines}\n`;

/** Writes a program. */
function program(path: string, lines: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script(lines), { mode: 0o755 });
}

const pathOf = (tool: string): string =>
  execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();

/** A directory with the tools, for PATH. */
function toolDirectory(): string {
  const bin = tree();
  for (const tool of tools) symlinkSync(pathOf(tool), join(bin, tool));
  return bin;
}

/** The other side: a user with a home, whose login shell knows no more programs than PATH has. */
class Far {
  readonly place = new Place();
  readonly home = this.place.directory;
  /** PATH. */
  readonly bin = toolDirectory();

  get address(): string {
    const variables = [`HOME=${this.home}`, `PATH=${this.bin}`, `VTR_SOCKET=${this.place.socket}`];
    return `exec:env -i ${[...variables, 'SHELL=/bin/false'].map(shellQuoted).join(' ')}`;
  }

  /** Puts Node.js into PATH. */
  withNode(): this {
    symlinkSync(process.execPath, join(this.bin, 'node'));
    return this;
  }

  /** Puts uname(1) into PATH. */
  withUname(): this {
    symlinkSync(pathOf('uname'), join(this.bin, 'uname'));
    return this;
  }

  /** Puts a program into PATH that answers as a Node.js of that kind, and runs nothing. */
  withNodeThatSays(facts: Readonly<Record<string, unknown>>): this {
    const script = `find "\${1%/dist/*}/node_modules" -name '*.node' > "$HOME/seen"`;
    const says = `echo ${shellQuoted(JSON.stringify({ path: '/opt/node', ...facts }))}`;
    const answer = `[ "$1" = -e ] && { ${says}; exit ${facts['isEnough'] ? 0 : 1}; }`;
    program(join(this.bin, 'node'), `${answer}\n${script}\necho 'cannot execute' >&2; exit 1`);
    return this;
  }

  at(path: string): string {
    return join(this.home, path);
  }
}

const bringsNode = hasSshd && (await canBringNode());

describe('vtr install', () => {
  it('copies vtr to another machine, where it is then found though its PATH does not have it', async () => {
    const [near, far] = [new Place(), new Far().withNode()];
    const { address } = far;
    const before = await near.vtr(['ls', '--coordinator', address]);
    expect(before).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('; copy vtr there with vtr install '),
    });
    const planned = await near.json('install', address, '--dry-run');
    expect(planned).toMatchObject({ outcome: 'planned', version, fetches: [] });
    expect(readdirSync(far.home)).toEqual([]);

    const done = await near.json('install', address);
    const [directory, command] = [far.at(`.local/share/vtr/${version}`), far.at('.local/bin/vtr')];
    expect(done).toMatchObject({ address, outcome: 'installed', version, directory, command });
    expect(done.bytes).toBeGreaterThan(1e6);
    expect(readlinkSync(command)).toBe(join(directory, 'dist/vtr.cjs'));
    expect(readdirSync(far.at('.local/share/vtr'))).toEqual([version]);
    expect(readdirSync(far.at('.local/bin'))).toEqual(['vtr']);
    const spawned = await near.vtr(['spawn', 'one', '--coordinator', address, '--', 'cat']);
    expect(spawned).toMatchObject({ status: 0, stdout: 'one\n', stderr: '' });

    expect(await near.ok('install', address)).toBe(
      `vtr ${version} is already at ${address}: ${command}\n`,
    );
    // It is replaced while its daemon runs.
    writeFileSync(join(directory, 'dist/old'), '');
    expect(await near.ok('install', address, '--force')).toContain(`was copied to ${address}: `);
    expect(existsSync(join(directory, 'dist/old'))).toBe(false);
    const listed = await near.vtr(['ls', '--names', '--coordinator', address]);
    expect(listed).toMatchObject({ status: 0, stdout: 'one\n', stderr: '' });
  });

  needsSshd('copies vtr over ssh', async () => {
    const [near, far] = [new Place(), new Far().withNode()];
    const ends: (() => void | Promise<void>)[] = [];
    const env = { ...far.place.env, PATH: far.bin, SHELL: '/bin/false' };
    const sshd = await Sshd.start(env, (end) => void ends.unshift(end));
    const user = { env: { PATH: `${sshd.bin}:${near.env['PATH']}` } };
    try {
      const { address } = sshd;
      const done = await near.vtr(['install', address], user);
      expect(done).toMatchObject({ status: 0, stderr: '' });
      expect(done.stdout).toContain(`vtr ${version} was copied to ${address}: ${far.home}`);
      const spawned = await near.vtr(['spawn', 'one', '--coordinator', address, '--', 'cat'], user);
      expect(spawned).toMatchObject({ status: 0, stdout: 'one\n', stderr: '' });
      const none = await near.vtr(['install', 'ssh://127.0.0.1:1'], user);
      expect(none).toMatchObject({
        status: 3,
        stderr: expect.stringContaining('Connection refused'),
      });
    } finally {
      await sshd.endShared(near.directory);
      for (const end of ends) await end();
    }
  });

  it('finds the Node.js of a version manager, and makes a command that uses it', async () => {
    const [near, far] = [new Place(), new Far()];
    const node = far.at('.nvm/versions/node/v22.0.0/bin/node');
    mkdirSync(dirname(node), { recursive: true });
    symlinkSync(process.execPath, node);
    program(far.at('.nvm/versions/node/v18.0.0/bin/node'), 'exit 127');
    expect(await near.ok('install', far.address)).toContain('was copied to');
    const command = far.at('.local/bin/vtr');
    expect(lstatSync(command).isSymbolicLink()).toBe(false);
    const text = execFileSync(command, ['--version'], { env: { PATH: far.bin }, encoding: 'utf8' });
    expect(text).toBe(`vtr ${version}\n`);
    expect(await near.ok('install', far.address)).toContain('is already at');
  });

  it.each([
    ['no Node.js', null, `has no Node.js: vtr needs ${engines.node.slice(2)} or newer there`],
    [
      'a Node.js that is too old',
      { version: '18.20.1', platform: 'linux', arch: 'x64', isEnough: false },
      'is too old: vtr needs .* and found 18.20.1 \\(/opt/node\\)',
    ],
    [
      'an unknown processor',
      { version: '22.1.0', platform: 'linux', arch: 's390x', isEnough: true },
      'cannot start programs on linux-s390x: supported are linux-x64, ',
    ],
  ])('refuses a machine with %s, if it may bring none', async (_title, facts, message) => {
    const [near, far] = [new Place(), new Far()];
    if (facts !== null) far.withNodeThatSays(facts);
    for (const flags of [[], ['--force'], ['--dry-run']]) {
      const words = ['install', far.address, '--node', 'system', ...flags];
      const { status, stdout, stderr } = await near.result(words);
      expect([status, stdout, stderr]).toEqual([8, '', expect.stringMatching(message)]);
    }
    expect(readdirSync(far.home)).toEqual([]);
  });

  it.each([
    ['for musl', 'Linux x86_64 musl', 'there is no official one for musl.*apk add nodejs'],
    ['for another processor', 'Linux riscv64 glibc', 'vtr cannot bring one for Linux riscv64'],
    ['for another system', 'FreeBSD amd64 other', 'vtr cannot bring one for FreeBSD amd64'],
    ['for one that does not say what it is', '  other', 'cannot bring one for an unknown system'],
  ])('brings no Node.js %s', (_title, system, message) => {
    const there = readMachine(`home /root\nsystem ${system}\n`);
    const choose = (choice?: 'system' | 'bundled') => () =>
      chosenNode({ program: vtrFile }, 'ssh://far', there, choice);
    for (const choice of [undefined, 'bundled'] as const) {
      expect(choose(choice)).toThrow(new RegExp(message));
    }
    expect(choose('system')).toThrow('ssh://far has no Node.js');
  });

  it('copies no Node.js whose hash is another one', async () => {
    const bin = tree();
    // The arguments are pack, the package, ..., and the directory.
    const lines = 'for into; do :; done; echo other > "$into/$(echo "$2" | sed s/@/-/).tgz"';
    program(join(bin, 'npm'), lines);
    const XDG_CACHE_HOME = tree();
    const near = new Place(undefined, { PATH: `${bin}:${process.env['PATH']}`, XDG_CACHE_HOME });
    const far = new Far().withUname();
    const { status, stdout, stderr } = await near.result(['install', far.address]);
    expect([status, stdout, stderr]).toEqual([10, '', expect.stringContaining('its hash differs')]);
    expect(readdirSync(far.home)).toEqual([]);
    expect(readdirSync(join(XDG_CACHE_HOME, 'vtr/node'))).toEqual([]);
  });

  provided(bringsNode, 'needs sshd, and npm with its registry')(
    'brings Node.js over ssh to a user without one, or with an old one, once for all versions',
    async () => {
      const [near, far] = [new Place(), new Far().withUname()];
      far.withNodeThatSays({ version: '18.20.1', platform: 'linux', arch: 'x64', isEnough: false });
      const ends: (() => void | Promise<void>)[] = [];
      const env = { ...far.place.env, PATH: far.bin, SHELL: '/bin/false' };
      const sshd = await Sshd.start(env, (end) => void ends.unshift(end));
      const user = { env: { PATH: `${sshd.bin}:${near.env['PATH']}` } };
      const json = async (...words: string[]) =>
        JSON.parse((await near.vtr([...words, '--json'], user)).stdout);
      try {
        const { address } = sshd;
        const planned = await json('install', address, '--dry-run');
        expect(planned).toMatchObject({
          outcome: 'planned',
          node: { bundled: true, copied: true },
        });
        const done = await json('install', address);
        const node = far.at(`.local/share/vtr/node-${done.node.version}`);
        expect(done.node).toMatchObject({ path: join(node, 'bin/node'), copied: true });
        expect(readdirSync(node).sort()).toEqual(['LICENSE', 'bin']);
        const spawned = await near.vtr(
          ['spawn', 'one', '--coordinator', address, '--', 'cat'],
          user,
        );
        expect(spawned).toMatchObject({ status: 0, stdout: 'one\n', stderr: '' });
        const again = await json('install', address, '--force');
        expect(again.node).toEqual({ ...done.node, copied: false });
      } finally {
        await sshd.endShared(near.directory);
        for (const end of ends) await end();
      }
    },
  );

  it('lets npm fetch the packages of another platform, and keeps nothing that does not run there', async () => {
    const far = new Far().withNodeThatSays({
      version: '22.1.0',
      platform: 'darwin',
      arch: 'arm64',
      isEnough: true,
    });
    const names = ['@lydell/node-pty', '@lydell/node-pty-darwin-arm64'];
    const install = async (npm: string, ...flags: string[]) => {
      const bin = tree();
      program(join(bin, 'npm'), npm);
      const near = new Place(undefined, { PATH: `${bin}:${process.env['PATH']}` });
      return near.result(['install', far.address, ...flags]);
    };
    const fetches = `for name in ${names.join(' ')}; do
      mkdir -p node_modules/$name && cd node_modules/$name && echo {} > package.json && : > pty.node && cd "$OLDPWD"
    done
    case "$*" in *--os=darwin*--cpu=arm64*' @lydell/node-pty@'*) ;; *) rm -r node_modules ;; esac`;

    const planned = await install('exit 1', '--dry-run', '--json');
    // The package without native code is here.
    expect(JSON.parse(planned.stdout)).toMatchObject({
      platform: 'darwin-arm64',
      fetches: names.slice(1),
    });
    const failed = await install('echo "npm error no network" >&2; exit 1');
    expect(failed).toMatchObject({
      status: 10,
      stderr: expect.stringContaining(
        `npm cannot fetch ${names.join(' and ')}, which vtr needs there: npm error no network`,
      ),
    });
    const done = await install(fetches);
    const paths = readFileSync(far.at('seen'), 'utf8').trim().split('\n');
    const copied = paths.map((path) => path.replace(/^.*\/node_modules\/(.*)\/pty\.node$/, '$1'));
    expect(copied.sort()).toEqual(names.toSorted());
    expect(done).toMatchObject({
      status: 8,
      stderr: `vtr: vtr does not run at ${far.address}: cannot execute\n`,
    });
    expect(readdirSync(far.at('.local/share/vtr'))).toEqual([]);
    expect(readdirSync(far.at('.local/bin'))).toEqual([]);
  });

  it('says what cannot be written there, and leaves no part of it', async () => {
    const [near, far] = [new Place(), new Far().withNode()];
    writeFileSync(far.at('.local'), '');
    const { status, stderr } = await near.result(['install', far.address]);
    expect([status, stderr]).toEqual([
      10,
      expect.stringMatching(/cannot be installed at .*mkdir: /),
    ]);
    expect(readdirSync(far.home)).toEqual(['.local']);
  });

  const smallDisk = (path: string) => `mount -t tmpfs -o size=1m tmpfs ${path}`;
  provided(canMount(smallDisk('/mnt')), 'only where tmpfs can be mounted')(
    'says that the disk is full there',
    async () => {
      const [near, far] = [new Place(), new Far().withNode()];
      const left = join(tree(), 'left');
      const lines = `${smallDisk(far.home)} && "$@"; status=$?; ls -A ${far.home}/.local/share/vtr > ${left}; exit $status`;
      const user = process.getuid?.() === 0 ? '-m' : '-rm';
      const inside = far.address.slice('exec:'.length);
      const address = `exec:unshare ${user} sh -c ${shellQuoted(lines)} sh ${inside}`;
      const { status, stderr } = await near.result(['install', address]);
      expect([status, stderr]).toEqual([10, expect.stringContaining('No space left on device')]);
      expect(readFileSync(left, 'utf8')).toBe('');
    },
  );

  it('replaces a command that it did not write only with --force', async () => {
    const [near, far] = [new Place(), new Far().withNode()];
    program(far.at('.local/bin/vtr'), 'echo mine');
    const refused = await near.result(['install', far.address]);
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('was not written by vtr install; replace it with --force'),
    });

    // Another one comes first in PATH, so that a copy would not be used.
    rmSync(far.at('.local/bin/vtr'));
    program(join(far.bin, 'vtr'), 'echo vtr 0.0.1');
    const hidden = await near.result(['install', far.address]);
    expect(hidden).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('(vtr 0.0.1) comes before'),
    });
    program(far.at('.local/bin/vtr'), 'echo mine');
    const forced = await near.result(['install', far.address, '--force']);
    expect(forced).toMatchObject({
      status: 0,
      stderr: `vtr: PATH has another vtr there, which is used: ${far.bin}/vtr (0.0.1)\n`,
    });
    expect(readlinkSync(far.at('.local/bin/vtr'))).toContain(version);
    // One of the same version will do, wherever it is.
    program(join(far.bin, 'vtr'), `exec node ${shellQuoted(vtrFile)} "$@"`);
    expect(await near.ok('install', far.address)).toContain(`: ${far.bin}/vtr\n`);
  });

  it('refuses text that is not an address', async () => {
    const near = new Place();
    for (const [text, message] of [
      ['gpu1', '"gpu1" is not an address; for a host, give ssh://HOST'],
      ['ftp://gpu1', 'its scheme is unknown'],
    ]) {
      const { status, stderr } = await near.result(['install', text ?? '']);
      expect([status, stderr]).toEqual([2, expect.stringContaining(message ?? '')]);
    }
  });
});
