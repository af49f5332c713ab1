import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Size } from '#model';
import { scrollbackLines } from '../engines/index.ts';
import { Programs } from './programs.ts';

/** A tmux server with one window, as scripts use it: one client per command. */
export class TmuxWindow {
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-bench-'));
  readonly programs: Programs;

  /** @param env added to the environment, also of the window */
  static async start(
    size: Size,
    command: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<TmuxWindow> {
    const window = new TmuxWindow(env);
    const area = ['-x', String(size.cols), '-y', String(size.rows)];
    const limit = ['set-option', '-g', 'history-limit', String(scrollbackLines), ';'];
    await window.tmux('start-server', ';', ...limit, 'new-session', '-d', ...area, ...command);
    return window;
  }

  private constructor(env: Readonly<Record<string, string>>) {
    this.programs = new Programs({ ...env, TMUX_TMPDIR: this.#directory });
  }

  /**
   * Runs tmux commands, separated by `;`, with one client.
   *
   * @throws Error when it fails
   */
  async tmux(...words: readonly string[]): Promise<string> {
    const { status, stdout } = await this.programs.run('tmux', '-f', '/dev/null', ...words);
    if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${status}`);
    return stdout;
  }

  async stop(): Promise<void> {
    await this.tmux('kill-server');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
