import { spawn } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import { type Place, vtrFile } from './vtr-command.ts';

/** A command that runs until it is stopped. */
export class Following {
  readonly #child;
  stdout = '';
  readonly ended: Promise<number | null>;

  constructor(place: Pick<Place, 'directory' | 'env'>, ...words: readonly string[]) {
    const env = { ...place.env };
    this.#child = spawn(process.execPath, [vtrFile, ...words], { cwd: place.directory, env });
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  async prints(text: string | RegExp): Promise<void> {
    await expect.poll(() => this.stdout, { interval: 20 }).toMatch(text);
  }

  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }
}
