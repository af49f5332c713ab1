import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { processesNaming } from '../pty/process-facts.ts';
import { type OnEnd, tree } from '../tree.ts';

const run = promisify(execFile);

/** Where Node.js is, if not in /usr. */
function nodeElsewhere(): string[] {
  const node = dirname(dirname(realpathSync(process.execPath)));
  return node.startsWith('/usr') ? [] : [node];
}

/** Calls a container engine with storage of its own. */
export class Podman {
  /** Names the files that make podman use that storage; also those of a docker that talks to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly #directory: string;
  readonly #onEnd: OnEnd;

  constructor(onEnd: OnEnd) {
    this.#onEnd = onEnd;
    const directory = tree({}, onEnd);
    this.#directory = directory;
    // When a container has ended, a process of podman still writes to the storage.
    onEnd(async () => {
      const none = () => expect(processesNaming(directory)).toEqual([]);
      await vi.waitFor(none, { timeout: 30_000, interval: 10 });
    });
    const at = (name: string) => join(directory, name);
    // runc, because crun starts nothing where both versions of control groups are mounted. The limits can be set
    // without CAP_SYS_RESOURCE.
    const engine = [
      '[containers]',
      'default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]',
      '[engine]',
      'runtime = "runc"',
      'cgroup_manager = "cgroupfs"',
      'events_logger = "file"',
      'lock_type = "file"',
      // By default, what was run through its interface for docker stays for 300 s.
      'exit_command_delay = 0',
      `tmp_dir = "${at('tmp')}"`,
    ];
    const storage = [
      '[storage]',
      'driver = "vfs"',
      `graphroot = "${at('images')}"`,
      `runroot = "${at('run')}"`,
    ];
    writeFileSync(at('containers.conf'), `${engine.join('\n')}\n`);
    writeFileSync(at('storage.conf'), `${storage.join('\n')}\n`);
    this.env = {
      CONTAINERS_CONF: at('containers.conf'),
      CONTAINERS_STORAGE_CONF: at('storage.conf'),
      DOCKER_HOST: `unix://${at('api.sock')}`,
    };
  }

  /**
   * Starts a container without an image or a network, which has the programs of this machine and a home of its
   * own. It is removed at the end.
   *
   * @param labels such as `app=web`
   */
  start(name: string, ...labels: string[]): Promise<void> {
    return this.#start(
      name,
      labels.flatMap((label) => ['--label', label]),
    );
  }

  /** As {@link start}, without Node.js. */
  startWithoutNode(name: string): Promise<void> {
    const node = realpathSync(process.execPath);
    // No program is there then.
    const hidden = ['--volume', `/dev/null:${node}:ro`];
    return this.#start(name, node.startsWith('/usr') ? hidden : [], []);
  }

  /** @param directories that it shares besides /usr. Default: where Node.js is, if not in /usr */
  async #start(
    name: string,
    options: readonly string[],
    directories = nodeElsewhere(),
  ): Promise<void> {
    const files = join(this.#directory, `root-${name}`);
    for (const each of ['usr', 'etc', 'proc', 'sys', 'dev', 'tmp', 'root', 'run', 'var', 'opt']) {
      mkdirSync(join(files, each), { recursive: true });
    }
    for (const each of ['bin', 'lib', 'lib64', 'sbin']) {
      if (existsSync(`/usr/${each}`)) symlinkSync(`usr/${each}`, join(files, each));
    }
    writeFileSync(join(files, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
    const shared = ['/usr', ...directories];
    const path = [...directories.map((each) => `${each}/bin`), '/usr/local/bin:/usr/bin:/bin'];
    await this.#podman([
      ...['run', '--detach', '--name', name, '--network', 'none'],
      ...shared.flatMap((each) => ['--volume', `${each}:${each}:ro`]),
      ...options,
      ...['--env', `PATH=${path.join(':')}`, '--env', 'HOME=/root'],
      ...['--rootfs', files, 'sleep', '100000'],
    ]);
    this.#onEnd(() => this.#podman(['rm', '--force', '--time', '0', name]));
  }

  /** Answers the calls of docker at DOCKER_HOST. */
  async serveDocker(): Promise<void> {
    const { DOCKER_HOST: address = '' } = this.env;
    const server = spawn('podman', ['system', 'service', '--time', '0', address], {
      env: { ...process.env, ...this.env },
      stdio: 'ignore',
    });
    this.#onEnd(async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill();
      await ended;
    });
    const socket = address.replace('unix://', '');
    await vi.waitFor(
      () => {
        if (!existsSync(socket)) throw new Error('podman does not serve docker');
      },
      { timeout: 30_000, interval: 10 },
    );
  }

  async #podman(words: readonly string[]): Promise<void> {
    await run('podman', words, { env: { ...process.env, ...this.env } });
  }
}

/** Whether containers can be started here: a sandbox may not let podman do so. */
export async function canStartContainers(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const ends: (() => void | Promise<void>)[] = [];
  try {
    await new Podman((end) => void ends.unshift(end)).start('trial');
    return true;
  } catch {
    return false;
  } finally {
    for (const end of ends) await end();
  }
}
