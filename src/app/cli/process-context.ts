import { fstatSync, statSync, writeSync } from 'node:fs';
import { defined, sanitize, withoutControls } from '#base';
import { type ClientConfig, readClientConfig } from '#config';
import { errorTable, VtrError } from '#model';
import type { Context } from './context.ts';
import { readStdin } from './input/read-stdin.ts';
import { tellError } from './output/messages.ts';
import { signalStatus, stopSignals } from './stop-signals.ts';
import { asksForJson } from './verbs/short-verb-names.ts';

/** Set by the bundler. */
declare const VTR_VERSION: string;

/** Returns the context of this process. @param command its name, the prefix of its messages */
export function contextOfProcess(command: string): Context & ProcessEnd {
  const stderr = new ProcessOutput(2, () => {});
  // Exits silently when the reader of stdout exits, as in `vtr ls | head`; reports other errors. With the status that
  // SIGPIPE has, because a verb whose output is lost has not succeeded.
  let onReaderGone = () => process.exit(signalStatus('SIGPIPE'));
  const stdout = new ProcessOutput(1, (code) => {
    if (code === 'EPIPE') {
      onReaderGone();
      return;
    }
    const error = new VtrError('IO_ERROR', `cannot write to stdout: ${code}`);
    const saysJson = asksForJson(process.argv.slice(2)) || undefined;
    const say = (message: string) => stderr.write(`${command}: ${message}\n`);
    tellError({ say, err: (text) => stderr.write(text), ...defined({ saysJson }) }, error);
    process.exit(errorTable.IO_ERROR.exit);
  });
  const { env } = process;
  let config: Promise<ClientConfig> | undefined;
  let endsOpen = false;
  const write = (data: string | Uint8Array) => {
    if (data.length > 0) endsOpen = data.at(-1) !== '\n' && data.at(-1) !== lineFeed;
    stdout.write(data);
  };
  return {
    env,
    get cwd() {
      return currentDirectory();
    },
    version: VTR_VERSION,
    program: process.argv[1] ?? '',
    get isTerminal() {
      return stdout.isTerminal;
    },
    get columns() {
      return stdout.isTerminal ? process.stdout.columns || null : null;
    },
    out: (data) => write(typeof data === 'string' ? withoutControls(data) : data),
    draw: write,
    flushed: () => stdout.flushed(),
    onReaderGone: (act) => {
      onReaderGone = act as () => never;
    },
    say(message) {
      // Output without a final line end must not join the message, as with 2>&1.
      const lineEnd = endsOpen && sharesOutput() ? '\n' : '';
      endsOpen = false;
      stderr.write(`${lineEnd}${command}: ${sanitize(message).text}\n`);
    },
    err: (text) => {
      stderr.write(withoutControls(text));
    },
    readInput: readStdin,
    config: () => {
      config ??= readClientConfig({ env });
      return config;
    },
    end(status) {
      process.exitCode = status;
      // What cannot be written to stdout ends the process with another status.
      if (stdout.isFlushed && stderr.isFlushed && !stdout.isFailing) process.exit();
    },
  };
}

/** The end of this process. */
export interface ProcessEnd {
  /**
   * Exits when all output is written, without the end of the event loop: closing connections that the
   * system closes anyway takes 3 ms.
   */
  end(status: number): void;
}

const lineFeed = 0x0a;

/** Returns whether stdout and stderr are the same file, such as a terminal or a pipe. */
function sharesOutput(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)];
    return out.ino === err.ino && out.dev === err.dev;
  } catch {
    return false;
  }
}

/** @throws VtrError INVALID_ARGUMENT if the directory was removed */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new VtrError(
      'INVALID_ARGUMENT',
      'the current directory was removed; change to another one',
    );
  }
}

type Stream = NodeJS.WriteStream;

/**
 * Stdout or stderr of this process. Written without Node's stream, which takes 2 ms to open, where a
 * reader that is slow may delay this process: it has nothing else to do, and a signal ends it at once.
 */
class ProcessOutput {
  readonly #file: 1 | 2;
  readonly #onError: (code: string) => void;
  #stream: Stream | null = null;

  /** @param onError called with the system's code of an error, such as EPIPE */
  constructor(file: 1 | 2, onError: (code: string) => void) {
    this.#file = file;
    this.#onError = onError;
  }

  get isTerminal(): boolean {
    return mayBeTerminal(this.#file) && streamOf(this.#file).isTTY === true;
  }

  /** Whether all that was written has been passed on to the system. */
  get isFlushed(): boolean {
    return this.#stream === null || this.#stream.writableLength === 0;
  }

  /** Resolves when all that was written has been passed on to the system, or cannot be. */
  flushed(): Promise<void> {
    const stream = this.#stream;
    if (stream === null || this.isFlushed || stream.destroyed) return Promise.resolve();
    return new Promise((resolve) => stream.write('', () => resolve()));
  }

  /** Whether a write has failed of which Node's stream tells in its next turn. */
  get isFailing(): boolean {
    return this.#stream !== null && this.#stream.errored !== null;
  }

  write(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const written = this.#stream === null && isFree() ? this.#writeNow(bytes) : 0;
    if (written < bytes.length) this.#open().write(bytes.subarray(written));
  }

  /** Returns how many bytes were written; the others wait for the reader. */
  #writeNow(bytes: Uint8Array): number {
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      // Another process has made the pipe non-blocking, and it is full.
      if (code === 'EAGAIN') return at;
      this.#onError(code);
    }
    return bytes.length;
  }

  #open(): Stream {
    if (this.#stream !== null) return this.#stream;
    const stream = streamOf(this.#file);
    stream.on('error', ({ code = '' }: NodeJS.ErrnoException) => this.#onError(code));
    this.#stream = stream;
    return stream;
  }
}

/** Whether no signal has a handler, which could not run while the process waits for a reader. */
const isFree = (): boolean => stopSignals.every((name) => process.listenerCount(name) === 0);

const streamOf = (file: 1 | 2): Stream => (file === 1 ? process.stdout : process.stderr);

/** Opening the stream only to find that a file, a pipe or /dev/null is not a terminal would take longer. */
function mayBeTerminal(file: number): boolean {
  try {
    const stat = fstatSync(file);
    return stat.isCharacterDevice() && stat.rdev !== statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}
