import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const command = join(repositoryRoot, 'dist/vtr.cjs');

/** A coordinator in its own process, behind a socket in a temporary directory. */
export class Daemon {
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  readonly socket = join(this.#directory, 'vtr.sock');

  /** The process that served first. */
  readonly pid: number;

  constructor() {
    const pidFile = join(this.#directory, 'vtr.pid');
    this.#serve('--daemon', '--pid-file', pidFile);
    this.pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  }

  /** The daemon that serves now, and its PTY host; null if it has none. */
  status(): { readonly pid: number; readonly hostPid: number | null } {
    const { pid, host_pid: hostPid } = JSON.parse(this.#serve('--status', '--json'));
    return { pid, hostPid };
  }

  /** Replaces the daemon; its sessions continue. */
  restart(): void {
    this.#serve('--restart');
  }

  /** Runs the command, and returns what it writes. */
  run(...words: readonly string[]): string {
    const { NODE_EXTRA_CA_CERTS: _bundle, ...env } = process.env;
    const own = { HOME: this.#directory, XDG_STATE_HOME: this.#directory, VTR_SOCKET: this.socket };
    return execFileSync(process.execPath, [command, ...words], {
      env: { ...env, ...own },
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
  }

  stop(): void {
    this.#serve('--stop');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #serve(...flags: readonly string[]): string {
    return this.run('serve', ...flags);
  }
}
