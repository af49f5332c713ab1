import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Size } from '#model';
import { scrollbackLines } from '../engines/index.ts';

/** The message of control mode that a window of another session is closed. */
const closed = '%unlinked-window-close';

/**
 * A tmux server without the user's configuration, with a socket in a temporary directory. It is driven
 * in control mode over one connection, so that the measured part starts no client. The client is
 * attached to an empty session, so that the output of others is not drawn for it.
 */
export class TmuxServer {
  readonly #client: ChildProcess;
  readonly #lines: Interface;
  readonly #directory: string;
  readonly #size: Size;

  static async start(size: Size): Promise<TmuxServer> {
    const server = new TmuxServer(size);
    await server.#line((line) => line.startsWith('%session-changed'));
    server.#send(`set-option -g history-limit ${scrollbackLines}`);
    return server;
  }

  private constructor(size: Size) {
    this.#size = size;
    this.#directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
    const { TMUX: _outer, ...env } = process.env;
    const area = ['-x', String(size.cols), '-y', String(size.rows)];
    const args = ['-L', 'bench', '-f', '/dev/null', '-C', 'new-session', ...area, 'sleep 86400'];
    this.#client = spawn('tmux', args, {
      env: { ...env, TMUX_TMPDIR: this.#directory },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#client.stdout as NodeJS.ReadableStream });
  }

  /** Runs a command in a new window; resolves when tmux has read its output. */
  async runToEnd(command: string): Promise<void> {
    const { cols, rows } = this.#size;
    const end = this.#line((line) => line.startsWith(closed));
    this.#send(`new-session -d -x ${cols} -y ${rows} '${command}'`);
    await end;
  }

  /** Runs a command in a new window; resolves when tmux has started it. */
  async newWindow(command: string): Promise<void> {
    const started = this.#line((line) => line.startsWith('started'));
    this.#send(`new-window -d -P -F started '${command}'`);
    await started;
  }

  async stop(): Promise<void> {
    const exit = once(this.#client, 'exit');
    this.#send('kill-server');
    await exit;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #send(command: string): void {
    this.#client.stdin?.write(`${command}\n`);
  }

  /** @throws Error when the server ends before such a line, or refuses the command */
  #line(isWanted: (line: string) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (line: string) => {
        if (!isWanted(line) && !line.startsWith('%error') && !line.startsWith('%exit')) return;
        this.#lines.off('line', look);
        if (isWanted(line)) resolve();
        else reject(new Error(`tmux says ${line}`));
      };
      this.#lines.on('line', look);
    });
  }
}
