import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.ts';
import type { LoopDelay } from './loop-delays.ts';

const command = join(repositoryRoot, 'dist/vtr.cjs');
const probe = new URL('./loop-probe.js', import.meta.url);
const pollMs = 10;
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A coordinator in its own process, behind a socket in a temporary directory. */
export class Daemon {
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  readonly socket = join(this.#directory, 'vtr.sock');

  get #loopFile(): string {
    return join(this.#directory, 'loop.json');
  }

  /** The process that served first. */
  readonly pid: number;

  readonly #isProbed: boolean;
  /** A benchmark that is ended by a signal ends its daemon, too. */
  readonly #onSignal = () => {
    this.stop();
    process.exit(1);
  };

  /**
   * @param settings content of its server.toml
   * @param isProbed whether {@link loopDelays} can be called; takes 1 MB in each process
   */
  constructor(settings = '', isProbed = false) {
    this.#isProbed = isProbed;
    for (const signal of endingSignals) process.once(signal, this.#onSignal);
    const pidFile = join(this.#directory, 'vtr.pid');
    const config = join(this.#directory, 'server.toml');
    writeFileSync(config, settings);
    this.#serve('--daemon', '--pid-file', pidFile, '--config', config);
    this.pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  }

  /** The daemon that serves now, and its PTY host; null if it has none. */
  status(): { readonly pid: number; readonly hostPid: number | null } {
    const { pid, host_pid: hostPid } = JSON.parse(this.#serve('--status', '--json'));
    return { pid, hostPid };
  }

  /** Replaces the daemon; its sessions continue. This process goes on: a proxy in it passes on meanwhile. */
  async restart(): Promise<void> {
    const words = [command, 'serve', '--restart'];
    await promisify(execFile)(process.execPath, words, { env: this.#environment() });
  }

  /** Measures the delays of the daemon's event loop during `work`. */
  async loopDelays(work: () => Promise<unknown>): Promise<LoopDelay> {
    const { pid } = this.status();
    process.kill(pid, 'SIGUSR2');
    await work();
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(this.#loopFile)) await delay(pollMs);
    const measured = JSON.parse(readFileSync(this.#loopFile, 'utf8'));
    rmSync(this.#loopFile);
    return measured;
  }

  /** Runs the command, and returns what it writes. */
  run(...words: readonly string[]): string {
    return execFileSync(process.execPath, [command, ...words], {
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
  }

  stop(): void {
    for (const signal of endingSignals) process.off(signal, this.#onSignal);
    try {
      this.#serve('--stop');
    } finally {
      rmSync(this.#directory, { recursive: true, force: true });
    }
  }

  #environment(): NodeJS.ProcessEnv {
    const { NODE_EXTRA_CA_CERTS: _bundle, ...env } = process.env;
    return {
      ...env,
      HOME: this.#directory,
      XDG_STATE_HOME: this.#directory,
      VTR_SOCKET: this.socket,
      ...(this.#isProbed && {
        NODE_OPTIONS: `--import=${probe}`,
        VTR_BENCH_LOOP: this.#loopFile,
      }),
    };
  }

  #serve(...flags: readonly string[]): string {
    return this.run('serve', ...flags);
  }
}
