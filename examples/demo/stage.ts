import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Coordinator, connect } from 'vtr';
import type { Result } from './play-steps.ts';
import { isInstalled, processesWith } from './programs.ts';
import type { Story } from './story.ts';

/** The time limit for the expected screen, in ms. */
const timeoutMs = 10_000;

/** The command of the package that the demo imports. */
const vtrFile = join(dirname(fileURLToPath(import.meta.resolve('vtr'))), 'vtr.cjs');

/** Settings that make shell and pager the same for every user. */
const plainSettings = {
  PS1: '$ ',
  ENV: '',
  BASH_SILENCE_DEPRECATION_WARNING: '1',
  LESS: '',
  LESSOPEN: '',
};

/** @throws Error when the two differ */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [have, want] = [found, expected].map((value) => JSON.stringify(value));
  if (have !== want) throw new Error(`expected ${what} to be ${want}; it is ${have}`);
}

/** The `vtr` command with a coordinator and a home directory for the demo alone. */
export class Stage {
  readonly story: Story;
  /** Aborted when the demo is interrupted. */
  readonly signal: AbortSignal;
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'vtr-demo-')));
  readonly #socket = join(this.home, 'vtr.sock');
  /** A variable of the daemon and its descendants, by which the demo finds them. */
  readonly #mark = randomUUID();

  constructor(story: Story, signal: AbortSignal) {
    this.story = story;
    this.signal = signal;
  }

  /** Starts the daemon. This is not interrupted, because the daemon would start all the same. */
  async open(): Promise<void> {
    await this.#tell(['serve', '--daemon'], null);
  }

  /** Ends the daemon. Fails when a process or a file remains. */
  async close(): Promise<Omit<Result, 'title'>> {
    const left: string[] = [];
    await this.#tell(['serve', '--stop'], null).catch(({ message }: Error) => left.push(message));
    rmSync(this.home, { recursive: true, force: true });
    left.push(...(await this.processes()).map((pid) => `process ${pid} runs`));
    if (existsSync(this.home)) left.push(`${this.home} exists`);
    if (left.length > 0) return { mark: '✗', sentence: left.join('; ') };
    return {
      mark: '✓',
      sentence: 'No process and no file of the daemon and its sessions remains.',
    };
  }

  /** The pids of the daemon and of its descendants. */
  processes(): Promise<number[]> {
    return processesWith(`VTR_DEMO=${this.#mark}`);
  }

  /** Runs a command; prints it and its output, which it returns. @throws Error when it fails */
  vtr(...words: readonly string[]): Promise<string> {
    return this.#tell(words);
  }

  async spawn(name: string, ...program: readonly string[]): Promise<void> {
    await this.vtr('spawn', name, '--size', '64x6', '--', ...program);
  }

  /** Starts a program, and waits for text on its screen. */
  async start(name: string, ready: string, ...program: readonly string[]): Promise<void> {
    await this.spawn(name, ...program);
    await this.vtr('wait', name, '--screen', ready);
  }

  /** Starts a shell that reads no settings. */
  async startShell(name: string): Promise<void> {
    const shell = (await isInstalled('bash')) ? ['bash', '--noprofile', '--norc'] : ['sh'];
    await this.start(name, '^\\$', ...shell);
  }

  /** Shows the screen once it matches. @throws Error when it does not in time */
  async screen(name: string, expected: RegExp): Promise<void> {
    const words = ['screen', name, '--frame'];
    const end = performance.now() + timeoutMs;
    let shown = await this.#run(words);
    while (!expected.test(shown)) {
      if (performance.now() > end) throw new Error(`expected ${expected} on the screen`);
      await this.#run(['wait', name, '--idle', '100ms', '--exit']);
      shown = await this.#run(words);
    }
    this.story.command(words);
    this.story.output(shown);
  }

  /** @throws Error when the program did not end with this exit status or signal */
  async expectEnd(name: string, expected: number | string): Promise<void> {
    const { signal, exit_code: code } = JSON.parse(await this.#run(['info', name, '--json']));
    expectEqual(`the end of ${name}`, signal ?? code, expected);
  }

  /** Runs a verb that ends with this status, and returns what it prints on stdout. */
  async ends(status: number, ...words: readonly string[]): Promise<string> {
    this.story.command(words, '; echo "status $?"');
    const result = await this.#result(words);
    this.story.output(`${result.stdout}status ${result.status}`);
    expectEqual(`the status of vtr ${words[0]}`, result.status, status);
    return result.stdout;
  }

  /** Kills the daemon with SIGKILL; its pid. */
  async killDaemon(): Promise<number> {
    const { pid } = JSON.parse(await this.#run(['serve', '--status', '--json']));
    this.story.line(`kill -9 ${pid}`);
    process.kill(pid, 'SIGKILL');
    return pid;
  }

  /** The library in place of the command. */
  connect(): Promise<Coordinator> {
    return connect({ socket: this.#socket });
  }

  /** Removes every session, so that the next step starts with none; prints their screens before. */
  async clear({ show = false } = {}): Promise<void> {
    const coordinator = await this.connect();
    for (const { name } of await coordinator.list()) {
      if (show) await this.vtr('screen', name, '--frame');
      await coordinator.remove(name);
    }
  }

  async #tell(words: readonly string[], signal: AbortSignal | null = this.signal): Promise<string> {
    this.story.command(words);
    const printed = await this.#run(words, signal);
    this.story.output(printed);
    return printed;
  }

  async #run(words: readonly string[], signal: AbortSignal | null = this.signal): Promise<string> {
    const { status, stdout, stderr } = await this.#result(words, signal);
    if (status === 0) return stdout + stderr;
    throw new Error(`vtr ${words.join(' ')} failed: ${stderr.trim() || `status ${status}`}`);
  }

  async #result(words: readonly string[], signal: AbortSignal | null = this.signal) {
    const own = {
      HOME: this.home,
      XDG_CONFIG_HOME: this.home,
      VTR_SOCKET: this.#socket,
      XDG_STATE_HOME: join(this.home, 'state'),
    };
    const child = spawn(process.execPath, [vtrFile, ...words], {
      cwd: this.home,
      env: { ...process.env, ...plainSettings, ...own, VTR_DEMO: this.#mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl+c reaches only the demo, which ends in order.
      detached: true,
      ...(signal === null ? {} : { signal }),
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null)).once('close', resolve);
    });
    const output = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    const [status, [stdout, stderr]] = await Promise.all([ended, output]);
    return { status, stdout, stderr };
  }
}
