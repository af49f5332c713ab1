import { basename, join, resolve } from 'node:path';
import { overwriteInDirectory } from '#config';
import { castOf } from '../terminal/test-recording.ts';
import type { TestTerminal } from '../terminal/test-terminal.ts';
import type { OutputFormat, StillFormat } from './commands.ts';
import type { TapeLook } from './tape-look.ts';

interface Output {
  readonly path: string;
  readonly format: OutputFormat;
}

/** Ends each frame of a text, as in VHS. */
const separator = '─'.repeat(80);

/** A frame of a text is taken when nothing has changed for this time, in ms, or after the limit. */
const settledMs = 50;
const settleLimitMs = 500;

/** Those that do not show the typing. */
const still: readonly OutputFormat[] = ['text', 'png', 'html'];

/** Whether a file shows the typing. */
export const isMoving = ({ format }: Output): boolean => !still.includes(format);

/** The files that a tape makes. */
export class TapeOutputs {
  readonly #outputs: readonly Output[];
  readonly #cwd: string;
  readonly #look: TapeLook;
  readonly #frames: string[] = [];

  /** @param cwd paths are relative to it */
  constructor(outputs: readonly Output[], cwd: string, look: TapeLook) {
    this.#outputs = outputs;
    this.#cwd = cwd;
    this.#look = look;
  }

  /** Adds the screen to the texts. */
  async frame(terminal: TestTerminal): Promise<void> {
    if (!this.#outputs.some(({ format }) => format === 'text')) return;
    await terminal.wait({ quietMs: settledMs, timeoutMs: settleLimitMs });
    const { text } = await terminal.screen();
    this.#frames.push([...text, separator, ''].join('\n'));
  }

  /**
   * Writes the files at the end of the tape.
   *
   * @throws VtrError IO_ERROR; PROGRAM_NOT_FOUND for a film without ffmpeg
   */
  async write(terminal: TestTerminal): Promise<void> {
    for (const { path, format } of this.#outputs) {
      if (format === 'text') this.#put(path, this.#frames.join(''));
      else if (format === 'frames') await this.#writeFrames(path, terminal);
      else this.#put(path, await this.#recorded(terminal, format));
    }
  }

  async #recorded(terminal: TestTerminal, format: Exclude<OutputFormat, 'text' | 'frames'>) {
    const recording = terminal.recording.all(this.#look.theme);
    if (format === 'cast') return castOf(recording);
    const { exportRecording } = await import('#app/recordings');
    return exportRecording(recording, format, { ...this.#look, select: '..' });
  }

  async #writeFrames(directory: string, terminal: TestTerminal): Promise<void> {
    const { recordedFrames } = await import('#app/recordings');
    let number = 1;
    for await (const png of recordedFrames(terminal.recording.all(), this.#look)) {
      this.#put(join(directory, `frame-${`${number++}`.padStart(5, '0')}.png`), png);
    }
  }

  /** Writes the screen. @throws VtrError IO_ERROR */
  async screenshot(terminal: TestTerminal, path: string, format: StillFormat): Promise<void> {
    if (format === 'text') {
      const { text } = await terminal.screen();
      return this.#put(path, `${text.join('\n')}\n`);
    }
    const { screenshotOf } = await import('#app/recordings');
    const options = { ...this.#look, format, title: basename(path) };
    this.#put(path, await screenshotOf(await terminal.snapshot(), options));
  }

  /** @throws VtrError IO_ERROR */
  #put(path: string, content: string | Uint8Array): void {
    overwriteInDirectory(resolve(this.#cwd, path), content);
  }
}
