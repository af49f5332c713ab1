import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, expect, onTestFinished, vi } from 'vitest';
import { ignored } from '#base';
import { JsonCoordinator } from '#wire/service/short';
import { root } from '../../../scripts/root.mjs';
import { commandOf, hasProc, isAlive, processesWith, ptyHostsIn } from '../pty/process-facts.ts';
import { testProgram } from '../pty/pty-request.ts';
import { type OnEnd, tree } from '../tree.ts';
import { runsHere, type Surroundings, vtrHere } from './vtr-here.ts';

/** The built command. */
export const vtrFile = join(root, 'dist/vtr.cjs');

/** XDG_CACHE_HOME of tests, with the compiled code of the bundles: commands start sooner. */
export const sharedCache = join(root, 'build/cache');

/** Makes a command report the calls that it has sent. */
const tellCalls = pathToFileURL(testProgram('tell-calls.mjs')).href;

export interface Run {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** SIGKILL after this time, in ms. */
  readonly killAfterMs?: number;
}

interface Running {
  readonly ended: Promise<Run>;
}

/** A user with a home, a configuration and a socket in a temporary directory. */
export class Place {
  readonly directory: string;
  readonly socket: string;
  /** Where sessions are saved. */
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;

  /** The coordinator behind the socket, without the start-up of a command. */
  readonly #coordinator: JsonCoordinator;

  /**
   * @param onEnd when the daemon ends and the directories are removed
   * @param env variables that it has, too
   */
  constructor(onEnd: OnEnd = onTestFinished, env: Readonly<Record<string, string>> = {}) {
    this.directory = tree({}, onEnd);
    this.state = tree({}, onEnd);
    this.socket = join(this.directory, 'default.sock');
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.directory,
      XDG_CONFIG_HOME: join(this.directory, 'config'),
      XDG_STATE_HOME: this.state,
      XDG_CACHE_HOME: sharedCache,
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      VTR_SOCKET: this.socket,
      ...env,
    };
    this.#coordinator = new JsonCoordinator(this.socket);
    onEnd(async () => {
      await this.#stop();
      await this.#hostsEnd();
      await this.#killLeft();
    });
  }

  /**
   * A place for all tests of a file, whose daemon starts once: for tests that need only sessions. Those
   * are removed after each test.
   */
  static forAll(): Place {
    const place = new Place(afterAll);
    afterEach(() => place.#removeSessions());
    return place;
  }

  async #removeSessions(): Promise<void> {
    if (!existsSync(this.socket)) return;
    const sessions = await this.#coordinator.list();
    await Promise.all(sessions.map((each) => this.#coordinator.remove(each, { force: true })));
  }

  /** Ends the daemon of the default socket if one answers there, and what a killed one left. */
  async #stop(): Promise<void> {
    if (!existsSync(this.directory)) return;
    if (readdirSync(this.directory).some((name) => name.endsWith('.ptyd'))) {
      // In this process: as a process of its own it would cost as much as the daemon.
      await vtrHere(['serve', '--stop'], this.surroundings);
    }
    if (!existsSync(this.socket)) return;
    const claims = readdirSync(this.directory).map((name) => /\.(\d+)-\d+\.claim$/.exec(name)?.[1]);
    const pids = claims.filter((pid) => pid !== undefined).map(Number);
    const isStopped = await this.#coordinator.stopDaemon().then(
      () => true,
      () => false,
    );
    if (!isStopped) return;
    await expect.poll(() => pids.some(isAlive), { interval: 10 }).toBe(false);
  }

  /** Waits for PTY hosts, which may end after their daemon and write until then; not for one that is stuck. */
  async #hostsEnd(): Promise<void> {
    if (!hasProc) return;
    // Looked for once: that reads the command line of each process of the machine.
    const hosts = ptyHostsIn(this.directory);
    // Not expect.poll, which needs a test: this may be the end of a file.
    const end = () => expect(hosts.filter(isAlive)).toEqual([]);
    await ignored(
      vi.waitFor(end, { timeout: 5_000, interval: 10 }),
      'a host that is stuck is not waited for',
    );
  }

  /**
   * Kills what is left, such as a host that is about to start a daemon in place of a killed one: with the
   * directory gone, nobody could end them.
   */
  async #killLeft(): Promise<void> {
    if (!hasProc) return;
    const left = () => processesWith(`HOME=${this.directory}`);
    const none = () => {
      const pids = left();
      for (const pid of pids) kill(pid);
      expect(pids).toEqual([]);
    };
    const pids = left();
    if (pids.length > 0) console.warn(`killed what a test left: ${pids.map(commandOf).join(', ')}`);
    await ignored(
      vi.waitFor(none, { timeout: 5_000, interval: 10 }),
      'a process that cannot be killed must not hold up the others',
    );
  }

  /** The files next to the socket and those of saved sessions, except logs and the audit trail. */
  files(): string[] {
    const here = readdirSync(this.directory).filter((name) => !name.endsWith('.log'));
    const saved = readdirSync(this.state, { recursive: true }).map(String);
    return [...here, ...saved.filter((path) => !/^vtr(?:\/audit|$)/.test(path))];
  }

  /** Runs the command to its end. */
  vtr(words: readonly string[], options: RunOptions = {}): Promise<Run> {
    return this.#run(process.execPath, [vtrFile, ...words], options);
  }

  /** Runs a line in a shell to its end. */
  shellLine(line: string, options: RunOptions = {}): Promise<Run> {
    return this.#run('sh', ['-c', line], options);
  }

  /**
   * Starts the command. Resolves once it has sent a call, which the daemon accepts before the calls of
   * commands that are started later.
   *
   * @param method such as `Wait`
   * @throws Error if the command ends without the call
   */
  calling(method: string, words: readonly string[]): Promise<Running> {
    return new Promise((resolve, reject) => {
      const env = { NODE_OPTIONS: `--import=${tellCalls}` };
      let typedText = '';
      const onSent = (text: string) => {
        typedText += text;
        if (typedText.split('\n').includes(method)) resolve({ ended });
      };
      const ended = this.#run(process.execPath, [vtrFile, ...words], { env, onSent });
      ended.then(({ status, stderr }) => {
        reject(new Error(`vtr ${words.join(' ')}: status ${status}, no ${method}\n${stderr}`));
      }, reject);
    });
  }

  #run(
    program: string,
    words: readonly string[],
    options: RunOptions & { readonly onSent?: (text: string) => void },
  ): Promise<Run> {
    return new Promise((resolve, reject) => {
      const {
        env = {},
        input = '',
        cwd = this.directory,
        killAfterMs,
        onSent = () => {},
      } = options;
      const child = spawn(program, words, {
        cwd,
        env: { ...this.env, ...env },
        timeout: killAfterMs,
        killSignal: 'SIGKILL',
        stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      }) as ChildProcessWithoutNullStreams;
      (child.stdio[3] as Readable).setEncoding('utf8').on('data', onSent);
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text;
      });
      child.on('error', reject);
      child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
  }

  /** Those of a command that runs in this process. */
  get surroundings(): Surroundings {
    return { env: this.env, cwd: this.directory, program: vtrFile };
  }

  /** As {@link vtr}, but in this process if it can: for tests of what a verb answers. */
  async result(words: readonly string[]): Promise<Omit<Run, 'signal'>> {
    return runsHere(words) ? vtrHere(words, this.surroundings) : this.vtr(words);
  }

  /**
   * Returns stdout of the command, which must succeed without stderr. It runs in this process if it can. A list is
   * requested again while it reports states that a busy machine has not told in time.
   */
  async ok(...words: readonly string[]): Promise<string> {
    let result = await this.result(words);
    for (let tries = 1; tries < 20 && lacksStates(result); tries++)
      result = await this.result(words);
    const { status, stdout, stderr } = result;
    if (status === 0 && stderr === '') return stdout;
    throw new Error(`vtr ${words.join(' ')}: status ${status}\n${stderr}${stdout}`);
  }

  /** Returns its JSON output. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the output
  async json(...words: readonly string[]): Promise<any> {
    return JSON.parse(await this.ok(...words, '--json'));
  }

  /** Starts a shell and waits for its prompt. */
  async shell(name: string, ...flags: readonly string[]): Promise<void> {
    await this.ok('spawn', name, '--env', 'PS1=$ ', ...flags, '--', 'sh');
    await this.sees(name, '$');
  }

  /** The rows of the screen once one of them starts with `text`. */
  async sees(name: string, text: string): Promise<readonly string[]> {
    const screen = [`^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`];
    const { outcome } = await this.#coordinator.wait(name, { screen, timeoutMs: 60_000 });
    if (outcome !== 'matched') throw new Error(`${text} was not shown in ${name}: ${outcome}`);
    return (await this.#coordinator.screen(name)).text;
  }
}

const lacksStates = ({ status, stderr }: Omit<Run, 'signal'>): boolean =>
  status === 0 && /^vtr: state unknown: .*\n$/.test(stderr);

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
