import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shellQuoted } from '#base';
import { root } from '../../scripts/root.mjs';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { fleetManifest } from '../support/kubernetes/manifest-schema.ts';
import { parsedYaml } from '../support/kubernetes/parsed-yaml.ts';
import { fencedBlocks } from '../support/run/fenced-blocks.ts';
import { needs, provided } from '../support/run/needs.ts';
import {
  certificates,
  nodeProxies,
  stunnel,
  type TlsWay,
  withoutCertificate,
} from '../support/service/tls-proxy.ts';
import { freePort } from '../support/sshd/sshd.ts';
import { tree } from '../support/tree.ts';

/** How the blocks of docs/fleet.md begin. Each has a test below. */
const blocks = {
  addresses: 'sh no-run\nvtr ls --coordinator ssh://gpu1',
  installing: 'sh no-run\nvtr install ssh://gpu1',
  image: 'dockerfile\n',
  manifest: 'yaml\n',
  several: `sh no-run\nvtr config add 'docker://web-*'`,
  everywhere: `sh no-run\nvtr rm 'job-*'`,
  pods: 'sh no-run\nvtr config add kube://',
  dropIn: 'ini\n[Service]',
  directory: `sh\nvtr config add '~/.vtr/fleet/*.sock'`,
  names: 'sh no-run\ngetent',
  tlsThere: 'ini\nforeground = yes\npid =\n[vtr]',
  tlsHere: 'ini\nforeground = yes\npid =\n[gpu1]',
};

/** The text of a block. */
const block = (name: keyof typeof blocks): string => blockIn('docs/fleet.md', blocks[name]);

function blockIn(document: string, start: string): string {
  const [text, ...more] = fencedBlocks(document).filter((each) => each.startsWith(start));
  if (text === undefined || more.length > 0) throw new Error(`${document}: not one ${start}`);
  return text.replace(/^.*\n/, '');
}

/** A user for whom gpu1, web and worker-0 are another user of this machine, who has vtr in PATH. */
class User {
  readonly far = new Place();
  readonly near: Place;
  readonly bin = tree();

  constructor() {
    symlinkSync(vtrFile, join(this.bin, 'vtr'));
    const PATH = `${this.bin}:${process.env['PATH']}`;
    this.near = new Place(undefined, { PATH });
    const variables = { ...this.far.env, PATH };
    const words = Object.entries(variables).map(([name, value]) => shellQuoted(`${name}=${value}`));
    const there = `cd ${shellQuoted(this.far.directory)} && exec env ${words.join(' ')}`;
    this.program('ssh', `for last; do :; done\n${there} sh -c "$last"`);
    this.program('docker', `[ "$1" = ps ] && { echo web-2; exit; }\nshift 3\n${there} "$@"`);
    this.program(
      'kubectl',
      `[ "$1" = get ] && { echo pod/worker-0; exit; }\nwhile [ "$1" != -- ]; do shift; done\nshift\n${there} "$@"`,
    );
    // It prints until somebody waits for it.
    const prints = (line: string) => `while :; do echo '${line}'; sleep 0.2; done`;
    this.program('python3', prints('epoch 10'));
    this.program('make', prints('compiling'));
  }

  program(name: string, lines: string): void {
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${lines}\n`);
    chmodSync(join(this.bin, name), 0o755);
  }

  /** Runs the lines of an example in a shell, which must succeed. */
  async runs(lines: string): Promise<string> {
    const { status, stdout, stderr } = await this.near.shellLine(`set -e\n${lines}`);
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  }
}

describe('the examples of README.md', () => {
  it('run on another machine', async () => {
    const user = new User();
    const shown = await user.runs(blockIn('README.md', 'sh no-run\nvtr install ssh://gpu1'));
    expect(shown).toMatch(/^vtr .* is already at ssh:\/\/gpu1: .*\ntrain\n/);
    expect(await user.far.ok('ls', '--names')).toBe('train\n');
  });
});

describe('the examples of docs/fleet.md', () => {
  it('are all below', () => {
    const starts = Object.values(blocks);
    const unknown = fencedBlocks('docs/fleet.md').filter(
      (each) => !starts.some((start) => each.startsWith(start)),
    );
    expect(unknown).toEqual([]);
    for (const name of Object.keys(blocks)) block(name as keyof typeof blocks);
  });

  it('remove and end sessions of all machines', async () => {
    const user = new User();
    await user.near.ok('config', 'add', 'ssh://gpu1');
    for (const name of ['job-1', 'job-2']) {
      await user.far.ok('spawn', name, '--label', 'kind=batch', '--', 'cat');
    }
    const [none = '', ...others] = block('everywhere').trimEnd().split('\n');
    const { status, stderr } = await user.near.shellLine(none);
    expect([status, stderr]).toEqual([4, expect.stringContaining('2 on gpu1')]);
    await user.far.ok('spawn', 'other', '--label', 'kind=batch', '--', 'cat');
    expect(await user.runs(others.join('\n'))).toBe('job-1\njob-2\nother\n');
    expect(await user.far.ok('ls', '--names')).toBe('other\n');
  });

  it('run over ssh and in a container', async () => {
    const user = new User();
    // It needs a terminal.
    const lines = block('addresses').replace(/^vtr attach .*$/m, '');
    await user.far.ok('spawn', 'before', '--', 'cat');
    expect(await user.runs(lines)).toMatch(/before[\s\S]*train\n$/);
    const [ssh = '', docker = ''] = (await user.runs(block('installing'))).split('\n');
    expect(ssh).toContain('is already at ssh://gpu1');
    expect(docker).toContain('is already at docker://web');
  });

  it('run in several containers', async () => {
    const user = new User();
    await user.far.ok('spawn', 'build', '--wait', 'error', '--', 'sh', '-c', 'echo error; cat');
    const asks = `printf 'Continue? [y/n] '; read -r x`;
    await user.far.ok('spawn', 'agent-one', '--', 'sh', '-c', asks);
    const shown = await user.runs(block('several'));
    expect(shown).toContain('Continue? [y/n]');
    expect(await user.far.ok('ls', '--names')).toContain('job\n');
  });

  it('run in a pod', async () => {
    const user = new User();
    await user.runs(block('pods').replaceAll('/work ', `${user.far.directory} `));
    expect((await user.far.json('info', 'build')).cwd).toBe(user.far.directory);
    expect((await user.near.vtr(['ls', '--names'])).stdout).toBe('build\n');
  });

  it('have a manifest of the fields of Kubernetes, whose parts agree', () => {
    const text = block('manifest');
    const parse = (text: string) => fleetManifest.safeParse(parsedYaml(text)).success;
    expect(fleetManifest.parse(parsedYaml(text))).toHaveLength(2);
    for (const [right, wrong] of [
      ['readinessProbe', 'readyProbe'],
      ['serviceName: workers', 'serviceName: worker'],
      ['mountPath: /work', 'mountPath: work'],
      ['        app: worker', '        app: other'],
      ['memory: 2Gi', 'memory: 2GB'],
      ['        - name: work\n', '        - name: job\n'],
    ] as const) {
      expect(text).toContain(right);
      expect(parse(text.replace(right, wrong)), wrong).toBe(false);
    }
    // Its commands are those of vtr.
    expect(text).toContain('command: [vtr, serve]');
  });

  it('have an image that installs the file that npm pack makes', () => {
    const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const lines = block('image').trim().split('\n');
    const instructions = lines.map((line) => /^([A-Z]+) (.+)$/.exec(line)?.slice(1) ?? [line]);
    expect(instructions.map(([name]) => name)).toEqual(['FROM', 'COPY', 'RUN', 'USER', 'CMD']);
    const [[, from = ''] = [], [, copy] = [], [, run = ''] = [], , [, command = ''] = []] =
      instructions;
    const node = Number(/^node:(\d+)-/.exec(from)?.[1]);
    expect(node).toBeGreaterThanOrEqual(Number.parseFloat(engines.node.slice(2)));
    expect(copy).toBe(`vtr-${version}.tgz /tmp/`);
    expect(run).toMatch(new RegExp(`^npm install --global /tmp/vtr-${version}\\.tgz\\b`));
    execFileSync('sh', ['-n', '-c', run]);
    expect(JSON.parse(command)).toEqual(['vtr', 'serve']);
  });

  const verifies = ['systemd-analyze', '--user', 'verify'];
  const mayVerify =
    spawnSync('systemd-analyze', ['--user', 'unit-paths'], { stdio: 'ignore' }).status === 0;
  provided(mayVerify, 'needs systemd-analyze')(
    'have a unit and a drop-in that systemd accepts',
    () => {
      const directory = tree({ 'vtr.service.d/path.conf': block('dropIn') });
      const unit = join(directory, 'vtr.service');
      const text = readFileSync(join(root, 'contrib/vtr.service'), 'utf8');
      const [program = '', ...args] = verifies;
      const verified = (unitText: string) => {
        writeFileSync(unit, unitText);
        const env = { ...process.env, HOME: directory, XDG_RUNTIME_DIR: directory };
        const { status, stderr } = spawnSync(program, [...args, unit], { env, encoding: 'utf8' });
        return { status, stderr: stderr.replaceAll(directory, '') };
      };
      expect(verified(text)).toEqual({ status: 0, stderr: '' });
      expect(verified(text.replace('KillMode', 'KilMode')).stderr).toContain('KilMode');
      const dropIn = join(directory, 'vtr.service.d/path.conf');
      writeFileSync(dropIn, block('dropIn').replace('Environment', 'Environ'));
      expect(verified(text).stderr).toContain('Environ');
    },
  );

  provided(mayVerify, 'needs systemd-analyze')(
    'have a unit of notifications that systemd accepts',
    () => {
      const directory = tree({});
      const unit = join(root, 'contrib/vtr-notify.service');
      const [program = '', ...args] = verifies;
      const env = { ...process.env, HOME: directory, XDG_RUNTIME_DIR: directory };
      const { status, stderr } = spawnSync(program, [...args, unit], { env, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it('find those in a directory of sockets', async () => {
    const user = new User();
    const { near } = user;
    const sockets = ['a', 'b'].map((name) => join(near.directory, `.vtr/fleet/${name}.sock`));
    onTestFinished(async () => {
      for (const socket of sockets) await near.vtr(['serve', '--stop', '--socket', socket]);
    });
    for (const socket of sockets) {
      expect((await near.vtr(['serve', '--daemon', '--socket', socket])).status).toBe(0);
      await near.ok('spawn', 'one', '--coordinator', socket, '--', 'cat');
    }
    await user.runs(block('directory'));
    const { sessions } = await near.json('ls');
    const named = sessions.map(
      (each: Record<string, string>) => `${each['coordinator']}:${each['name']}`,
    );
    expect(named.sort()).toEqual(['a:one', 'b:one']);
    expect((await near.json('info', 'b:one')).name).toBe('one');
  });

  needs('getent')('find those of a name, each once', async () => {
    const user = new User();
    const lines = block('names').replace('gpus.example.org', 'localhost');
    expect(lines).not.toBe(block('names'));
    await user.runs(lines);
    expect(await user.near.ok('config', 'ls')).toBe('ssh://127.0.0.1\n');
  });

  describe.each([
    ['Node.js', needs('openssl'), nodeProxies],
    ['stunnel', needs('openssl', 'stunnel'), stunnelProxies],
  ] as const)('with %s as the proxy for TLS', (_name, test, proxies) => {
    test('reach a coordinator, with a certificate', async () => {
      const { near, far } = new User();
      await far.ok('spawn', 'one', '--', 'sh', '-c', 'echo ready; cat');
      const socket = join(near.directory, '.vtr/fleet/gpu1.sock');
      mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
      const at = certificates();
      const way = { certificates: at, socket: far.socket, port: await freePort(), near: socket };
      await proxies(way);
      const there = ['--coordinator', socket];
      await near.ok('wait', 'one', 'ready', '--since', 'start', ...there);
      await near.ok('send', 'one', 'hello\r', '--wait', 'hello', ...there);
      expect(await near.ok('screen', 'one', ...there)).toContain('hello\nhello');
      // The client of long-lived programs.
      const published = await near.vtr(['publish', 'two', ...there], { input: 'from here\n' });
      expect(published).toMatchObject({ status: 0, stderr: '' });
      expect(await far.ok('ls', '--names')).toBe('one\ntwo\n');

      const failure = expect.stringContaining('certificate required');
      expect(await withoutCertificate(way)).toEqual({ answer: '', failure });
    });
  });
});

/** As docs/fleet.md describes them. */
async function stunnelProxies({ certificates: at, socket, port, near }: TlsWay): Promise<void> {
  const replaced = (text: string, values: Readonly<Record<string, string>>) => {
    for (const [from, to] of Object.entries(values)) {
      expect(text).toContain(from);
      text = text.replaceAll(from, to);
    }
    return text;
  };
  await stunnel(
    replaced(block('tlsThere'), {
      'accept = 7443': `accept = 127.0.0.1:${port}`,
      '/run/user/1000/vtr/default.sock': socket,
      '/etc/vtr': at,
    }),
  );
  await stunnel(
    replaced(block('tlsHere'), {
      '/home/me/.vtr/fleet/gpu1.sock': near,
      'gpu1.example.org:7443': `127.0.0.1:${port}`,
      'gpu1.example.org': 'localhost',
      '/home/me/.vtr': at,
    }),
  );
  expect(existsSync(near)).toBe(true);
}
