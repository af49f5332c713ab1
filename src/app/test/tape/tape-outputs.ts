import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type ScreenSnapshot, VtrError } from '#model';
import type { TestTerminal } from '../terminal/test-terminal.ts';
import type { OutputFormat } from './commands.ts';

interface Output {
  readonly path: string;
  readonly format: OutputFormat;
}

/** Ends each frame of a text, as in VHS. */
const separator = '─'.repeat(80);

/** A frame of a text is taken when nothing has changed for this time, in ms, or after the limit. */
const settledMs = 50;
const settleLimitMs = 500;

const moving: readonly OutputFormat[] = ['cast', 'gif', 'mp4', 'webm', 'frames'];

/** Whether a file shows the typing. */
export const isMoving = ({ format }: Output): boolean => moving.includes(format);

/** The files that a tape makes. */
export class TapeOutputs {
  readonly #outputs: readonly Output[];
  readonly #cwd: string;
  readonly #warn: (message: string) => void;
  readonly #frames: string[] = [];

  /** @param options `cwd`: paths are relative to it */
  constructor(
    outputs: readonly Output[],
    options: { readonly cwd: string; readonly warn: (message: string) => void },
  ) {
    this.#outputs = outputs;
    this.#cwd = options.cwd;
    this.#warn = options.warn;
  }

  /** Adds the screen to the texts. */
  async frame(terminal: TestTerminal): Promise<void> {
    if (!this.#outputs.some(({ format }) => format === 'text')) return;
    await terminal.wait({ quietMs: settledMs, timeoutMs: settleLimitMs });
    const { text } = await terminal.screen();
    this.#frames.push([...text, separator, ''].join('\n'));
  }

  /** Writes the files at the end of the tape. */
  async write(terminal: TestTerminal): Promise<void> {
    const screen = await terminal.screen();
    for (const { path, format } of this.#outputs) {
      if (format === 'text') await this.#put(path, this.#frames.join(''));
      else if (format === 'cast') await this.#put(path, terminal.recording.cast());
      else await this.picture(path, format, screen);
    }
  }

  async picture(path: string, format: OutputFormat, { text }: ScreenSnapshot): Promise<void> {
    if (format === 'text') return this.#put(path, `${text.join('\n')}\n`);
    this.#warn(`${path} was not written: this version of vtr makes .txt, .ascii and .cast only`);
  }

  /** @throws VtrError IO_ERROR */
  async #put(path: string, content: string | Uint8Array): Promise<void> {
    const file = resolve(this.#cwd, path);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    } catch (error) {
      throw new VtrError('IO_ERROR', `cannot write ${path}: ${(error as Error).message}`);
    }
  }
}
