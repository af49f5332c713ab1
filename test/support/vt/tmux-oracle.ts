import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Size } from '#model';

/** The screen of tmux: rows as SGR and text, and the cursor. */
export interface TmuxScreen {
  readonly rows: string;
  readonly cursor: { readonly row: number; readonly col: number };
}

/**
 * tmux as an oracle: a separate server without the user's settings, with one pane.
 */
export class TmuxOracle {
  readonly #directory = mkdtempSync(join(tmpdir(), 'vtr-tmux-'));
  readonly #size: Size;

  constructor(size: Size) {
    this.#size = size;
    const { cols, rows } = size;
    this.#tmux(
      ...['-f', '/dev/null', 'new-session', '-d', '-x', `${cols}`, '-y', `${rows}`, 'sleep 9999'],
      ...[';', 'set-option', '-g', 'status', 'off'],
      ...[';', 'set-option', '-g', 'remain-on-exit', 'on'],
      ...[';', 'resize-window', '-x', `${cols}`, '-y', `${rows}`],
    );
  }

  /** The screen of a new pane after output. */
  show(bytes: Uint8Array): TmuxScreen {
    const output = join(this.#directory, 'output');
    writeFileSync(output, bytes);
    // Once tmux answers the query, it has read all output before it.
    const ask = `printf '\\030\\033[5n'; dd bs=1 count=4 of=/dev/null 2>/dev/null`;
    const script = `stty raw -echo; cat '${output}'; ${ask}; ${this.#command('wait-for', '-S', 'shown')}; sleep 9999`;
    this.#tmux('respawn-pane', '-k', script, ';', 'wait-for', 'shown');
    const place = this.#tmux('display-message', '-p', '#{cursor_y} #{cursor_x}');
    const [row = 0, col = 0] = place.trim().split(' ').map(Number);
    const rows = this.#tmux('capture-pane', '-p', '-e');
    return { rows, cursor: { row, col: Math.min(col, this.#size.cols - 1) } };
  }

  close(): void {
    this.#tmux('kill-server');
    rmSync(this.#directory, { recursive: true });
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-S', join(this.#directory, 'socket'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, TERM: 'xterm-256color', TMUX: '', LC_ALL: 'C.UTF-8' },
    });
  }

  #command(...args: string[]): string {
    return ['tmux', '-S', `'${join(this.#directory, 'socket')}'`, ...args].join(' ');
  }
}
