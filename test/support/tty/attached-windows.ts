import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { LocalCoordinator } from '#coordinator';
import type { Cell, Coordinator, Size } from '#model';
import { Terminal } from '#vt';
import { type Place, vtrFile } from '../command/vtr-command.ts';

/** What a terminal shows: text and, as far as the terminal tells it, styles. */
export interface WindowScreen {
  readonly rows: readonly (readonly Cell[])[];
  readonly cursor: { readonly row: number; readonly col: number };
}

/** A terminal in which `vtr attach` runs. */
export interface AttachedWindow {
  readonly name: string;
  /** How much of a cell the terminal tells. */
  readonly tells: 'cells' | 'styles' | 'text';
  screen(): Promise<WindowScreen>;
}

interface WindowOptions {
  readonly place: Place;
  readonly size: Size;
  /** The words after `vtr attach`. */
  readonly words: readonly string[];
}

const attachWords = (words: readonly string[]) => [process.execPath, vtrFile, 'attach', ...words];

/** Our own engine: `vtr attach` runs in a session of another coordinator. */
export class EngineWindow implements AttachedWindow {
  readonly name = 'vtr';
  readonly tells = 'cells';
  readonly coordinator: Coordinator;
  readonly session = 'window';

  private constructor(coordinator: Coordinator) {
    this.coordinator = coordinator;
  }

  static async open({ place, size, words }: WindowOptions): Promise<EngineWindow> {
    const coordinator = new LocalCoordinator();
    onTestFinished(() => coordinator.close());
    const window = new EngineWindow(coordinator);
    const [program = '', ...args] = attachWords(words);
    const env = { ...place.env, TERM: 'xterm-256color' };
    await coordinator.spawn({ name: window.session, program, args, size, env });
    return window;
  }

  async screen(): Promise<WindowScreen> {
    const { cells = [], cursor } = await this.coordinator.screen(this.session, { format: 'cells' });
    return { rows: cells, cursor };
  }
}

/** tmux, in a server of its own. */
export class TmuxWindow implements AttachedWindow {
  readonly name = 'tmux';
  readonly tells = 'styles';
  readonly #socket: string;
  readonly #size: Size;

  constructor({ place, size, words }: WindowOptions) {
    this.#socket = join(place.directory, 'tmux');
    this.#size = size;
    const geometry = ['-x', `${size.cols}`, '-y', `${size.rows}`];
    this.#tmux(place.env, '-f', '/dev/null', 'new-session', '-d', ...geometry, 'sleep 9999');
    onTestFinished(() => void this.#tmux(place.env, 'kill-server'));
    this.#tmux(place.env, 'set-option', '-g', 'status', 'off');
    this.#tmux(place.env, 'resize-window', ...geometry);
    this.#tmux(place.env, 'respawn-pane', '-k', quoted(attachWords(words)));
  }

  async screen(): Promise<WindowScreen> {
    const place = this.#tmux({}, 'display-message', '-p', '#{cursor_y} #{cursor_x}');
    const [row = 0, col = 0] = place.trim().split(' ').map(Number);
    const rows = this.#tmux({}, 'capture-pane', '-p', '-e').replace(/\n$/, '');
    return {
      rows: cellsOf(rows, this.#size),
      cursor: { row, col: Math.min(col, this.#size.cols - 1) },
    };
  }

  #tmux(env: Readonly<Record<string, string>>, ...args: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ...env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    });
  }
}

/** xterm at an X server without a screen. It prints the text of its screen (media copy). */
export class XtermWindow implements AttachedWindow {
  readonly name = 'xterm';
  readonly tells = 'text';
  readonly #place: Place;
  readonly #size: Size;
  readonly #page: string;
  readonly #terminal: string;

  private constructor({ place, size }: WindowOptions) {
    this.#place = place;
    this.#size = size;
    this.#page = join(place.directory, 'page');
    this.#terminal = join(place.directory, 'terminal');
  }

  static async open(options: WindowOptions): Promise<XtermWindow> {
    const window = new XtermWindow(options);
    const display = await xServer();
    const { cols, rows } = options.size;
    const page = window.#page;
    const resources = {
      printerCommand: `cat > ${page}.part; mv ${page}.part ${page}`,
      printerAutoClose: 'true',
      printAttributes: '0',
    };
    const xrm = Object.entries(resources).flatMap(([name, value]) => [
      '-xrm',
      `*${name}: ${value}`,
    ]);
    const script = `tty > ${window.#terminal}; exec ${quoted(attachWords(options.words))}`;
    const words = ['-u8', '-fn', '6x13', '-geometry', `${cols}x${rows}`, ...xrm];
    const child = spawn('xterm', [...words, '-e', 'sh', '-c', script], {
      env: { ...options.place.env, DISPLAY: display, LC_ALL: 'C.UTF-8' },
      stdio: 'ignore',
    });
    onTestFinished(() => ended(child));
    await vi.waitFor(() => expect(existsSync(window.#terminal)).toBe(true));
    return window;
  }

  async screen(): Promise<WindowScreen> {
    rmSync(this.#page, { force: true });
    writeFileSync(readFileSync(this.#terminal, 'utf8').trim(), '\x1b[i');
    await vi.waitFor(() => expect(existsSync(this.#page)).toBe(true));
    // U+FFFF stands for the second half of a wide character.
    const text = readFileSync(this.#page, 'utf8')
      .replace(/\uffff/g, '')
      .replace(/\r?\n$/, '');
    // xterm tells the cursor only to the program.
    return { rows: cellsOf(text, this.#size), cursor: { row: -1, col: -1 } };
  }

  get place(): Place {
    return this.#place;
  }
}

/** Starts an X server without a screen, and returns its display. */
async function xServer(): Promise<string> {
  const args = ['-displayfd', '3', '-screen', '0', '2000x1400x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  onTestFinished(() => ended(server));
  const pipe = server.stdio[3];
  if (pipe == null) throw new Error('Xvfb has no pipe');
  const [line] = await once(pipe, 'data');
  return `:${String(line).trim()}`;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** Rows of text and SGR as cells. */
function cellsOf(rows: string, size: Size): readonly (readonly Cell[])[] {
  const terminal = new Terminal({ size });
  terminal.feed(Buffer.from(`\x1b[?7l${rows.split(/\r?\n/).join('\r\n')}`));
  return terminal.screenCells().rows;
}
