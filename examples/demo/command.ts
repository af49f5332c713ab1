import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Story } from './story.ts';
import { Surprise } from './surprise.ts';
import type { TemporaryHome } from './temporary-home.ts';
import { commandLine } from './wording.ts';

/** The command of the package that the demo imports. */
const file = join(dirname(fileURLToPath(import.meta.resolve('vtr'))), 'vtr.cjs');

/** What every session inherits from the daemon: nobody's settings, and `$ ` as the prompt. */
const plainSettings = {
  PS1: '$ ',
  ENV: '',
  BASH_SILENCE_DEPRECATION_WARNING: '1',
  LESS: '',
  LESSOPEN: '',
};

/** The `vtr` command, for a coordinator of the demo's own. */
export class Command {
  readonly socket: string;
  readonly #story: Story;
  readonly #home: TemporaryHome;
  readonly #signal: AbortSignal;

  constructor(story: Story, home: TemporaryHome, signal: AbortSignal) {
    this.socket = join(home.path, 'vtr.sock');
    this.#story = story;
    this.#home = home;
    this.#signal = signal;
  }

  /** Starts the daemon. Not to be interrupted: it would be started all the same. @returns its pid */
  async serve(): Promise<number> {
    const said = await this.#tell(['serve', '--daemon']);
    return Number(/process (\d+)/.exec(said)?.[1]);
  }

  /** Ends the daemon with its sessions. */
  async stop(): Promise<void> {
    await this.#tell(['serve', '--stop']);
  }

  /** Runs it and tells what it prints. @throws Surprise when it fails */
  vtr(...words: readonly string[]): Promise<string> {
    return this.#tell(words, this.#signal);
  }

  /** The same without a word. */
  run(...words: readonly string[]): Promise<string> {
    return this.#run(words, this.#signal);
  }

  async #tell(words: readonly string[], signal?: AbortSignal): Promise<string> {
    this.#story.call('vtr', commandLine(words));
    const printed = await this.#run(words, signal);
    if (printed !== '') this.#story.result(printed.trimEnd().split('\n'));
    return printed;
  }

  async #run(words: readonly string[], signal?: AbortSignal): Promise<string> {
    const { path } = this.#home;
    const places = { HOME: path, XDG_CONFIG_HOME: path, VTR_SOCKET: this.socket };
    const child = spawn(process.execPath, [file, ...words], {
      cwd: path,
      env: { ...process.env, ...plainSettings, ...places },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl+c is for the demo, which ends in order.
      detached: true,
      ...(signal === undefined ? {} : { signal }),
    });
    const ended = new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(null));
      child.once('close', resolve);
    });
    const [out, said, status] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      ended,
    ]);
    if (status === 0) return out + said;
    throw new Surprise(`vtr ${commandLine(words)} to succeed`, said.trim() || `status ${status}`);
  }
}
