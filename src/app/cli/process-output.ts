import { fstatSync, statSync, writeSync } from 'node:fs';
import { stopSignals } from './stop-signals.ts';

type Stream = NodeJS.WriteStream;

/**
 * Stdout or stderr of this process. Written without Node's stream, which takes 2 ms to open, where a
 * reader that is slow may delay this process: it has nothing else to do, and a signal ends it at once.
 */
export class ProcessOutput {
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
