import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Debian's openssh-server; sshd has to be started by an absolute path. */
const sshd = '/usr/sbin/sshd';

/** Whether there is an SSH server, and a client. */
export const hasSshd: boolean = existsSync(sshd) && existsSync('/usr/bin/ssh');

/** Calls a function when the server is not needed any more. */
type OnEnd = (end: () => void | Promise<void>) => void;

/** An OpenSSH server on a high port of loopback, and an `ssh` that may log in there. */
export class Sshd {
  /** Holds `ssh`, for PATH. */
  readonly bin: string;
  readonly directory: string;
  readonly port: number;
  readonly #server: ChildProcess;

  private constructor(directory: string, port: number, server: ChildProcess) {
    this.directory = directory;
    this.bin = join(directory, 'bin');
    this.port = port;
    this.#server = server;
  }

  /** `ssh://USER@127.0.0.1:PORT` */
  get address(): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}`;
  }

  /**
   * @param env of the sessions on the other side
   * @param onEnd when the server ends
   * @param config more lines for sshd_config
   */
  static async start(
    env: Readonly<Record<string, string>>,
    onEnd: OnEnd,
    config: readonly string[] = [],
  ): Promise<Sshd> {
    const directory = mkdtempSync(join(tmpdir(), 'vtr-sshd-'));
    onEnd(() => rmSync(directory, { recursive: true, force: true }));
    const at = (name: string) => join(directory, name);
    for (const name of ['host_key', 'user_key']) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
    }
    // As root, it needs this directory for the part that has no privileges.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const port = await freePort();
    const set = Object.entries(env).map(([name, value]) => `"${name}=${value}"`);
    const lines = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host_key')}`,
      `AuthorizedKeysFile ${at('user_key.pub')}`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'PermitRootLogin yes',
      'MaxStartups 100',
      `SetEnv ${set.join(' ')}`,
      ...config,
    ];
    writeFileSync(at('sshd_config'), `${lines.join('\n')}\n`);
    const hostKey = execFileSync('cat', [at('host_key.pub')], { encoding: 'utf8' });
    writeFileSync(at('known_hosts'), `[127.0.0.1]:${port} ${hostKey}`);
    mkdirSync(at('bin'));
    const options = [
      `-o IdentityFile='${at('user_key')}' -o IdentitiesOnly=yes`,
      `-o UserKnownHostsFile='${at('known_hosts')}'`,
    ];
    writeFileSync(at('bin/ssh'), `#!/bin/sh\nexec /usr/bin/ssh ${options.join(' ')} "$@"\n`);
    chmodSync(at('bin/ssh'), 0o755);
    const server = spawn(sshd, ['-D', '-e', '-f', at('sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const started = new Sshd(directory, port, server);
    onEnd(() => started.#stop());
    await started.#listening();
    return started;
  }

  /** Ends the connections that ssh shares. @param home of the user who has made them */
  async endShared(home: string): Promise<void> {
    const directory = join(home, '.vtr/ssh');
    if (!existsSync(directory)) return;
    for (const name of readdirSync(directory)) {
      if (!/^[0-9a-f]{40}$/.test(name)) continue;
      const exit = ['-o', `ControlPath=${join(directory, name)}`, '-O', 'exit', 'any'];
      await once(spawn('/usr/bin/ssh', exit, { stdio: 'ignore' }), 'exit');
    }
  }

  async #listening(): Promise<void> {
    let said = '';
    for await (const chunk of this.#server.stderr ?? []) {
      said += chunk;
      if (said.includes('Server listening on')) break;
    }
    if (!said.includes('Server listening on')) throw new Error(`sshd does not start: ${said}`);
  }

  async #stop(): Promise<void> {
    if (this.#server.exitCode !== null) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill();
    await ended;
  }
}

/** A TCP port of loopback at which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
