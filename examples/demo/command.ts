import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Stage } from './stage.ts';
import { Surprise } from './surprise.ts';

const run = promisify(execFile);

/** The command of the package that the demo imports. */
const file = join(dirname(fileURLToPath(import.meta.resolve('vtr'))), 'vtr.cjs');

/** The `vtr` command, with a coordinator of its own for the time of a scene. */
export class Command {
  readonly #stage: Stage;
  readonly #env: NodeJS.ProcessEnv;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { path } = stage.home;
    const socket = join(path, 'vtr.sock');
    this.#env = { ...process.env, HOME: path, XDG_CONFIG_HOME: path, VTR_SOCKET: socket };
  }

  /** Runs it and tells what it prints. @throws Surprise when it fails */
  async vtr(...words: readonly string[]): Promise<string> {
    const shown = words.map((word) => (/[^\w./:-]/.test(word) ? `'${word}'` : word)).join(' ');
    this.#stage.story.call('vtr', shown);
    const { signal } = this.#stage;
    try {
      const { stdout } = await this.#run(words, { signal });
      if (stdout !== '') this.#stage.story.result(stdout.trimEnd().split('\n'));
      return stdout;
    } catch (error) {
      if (signal.aborted) return '';
      throw new Surprise(`vtr ${shown} to succeed`, (error as Error).message);
    }
  }

  /** Ends the coordinator, where one was started. */
  async stop(): Promise<void> {
    await this.#run(['serve', '--stop'], {}).catch(() => {});
  }

  #run(words: readonly string[], options: { signal?: AbortSignal }) {
    return run(process.execPath, [file, ...words], {
      ...options,
      cwd: this.#stage.home.path,
      env: this.#env,
    });
  }
}
