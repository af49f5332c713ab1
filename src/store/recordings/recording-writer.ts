import { closeSync, fstatSync, ftruncateSync, write } from 'node:fs';
import { promisify } from 'node:util';

const writeAsync = promisify(write);

/** What is written at once, in bytes. */
const maxWrite = 1024 * 1024;

/** Writes lines to a file in the background, one write at a time, in order. */
export class RecordingWriter {
  readonly #fd: number;
  readonly #onFailed: (error: Error) => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Up to the end of the last whole line that was written. */
  #length: number;
  #writing: Promise<void> | null = null;
  #isOpen = true;
  #failure: Error | null = null;

  /**
   * @param fd open for writing; closed by {@link close} or by a failure, but not if this throws
   * @throws Error of the system
   */
  constructor(fd: number, onFailed: (error: Error) => void) {
    this.#fd = fd;
    this.#length = fstatSync(fd).size;
    this.#onFailed = onFailed;
  }

  get bytes(): number {
    return this.#length + this.#waitingBytes;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** @param lines whole ones, which must not be changed afterwards */
  write(lines: Uint8Array): void {
    if (!this.#isOpen) return;
    this.#waiting.push(lines);
    this.#waitingBytes += lines.length;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  /** Resolves when everything is written, or with the reason why it is not. Never rejects. */
  async close(): Promise<Error | null> {
    while (this.#writing !== null) await this.#writing;
    if (!this.#isOpen) return this.#failure;
    this.#isOpen = false;
    try {
      // Some file systems report only now that there was no space.
      closeSync(this.#fd);
    } catch (error) {
      this.#failure = error as Error;
    }
    return this.#failure;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeSome();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  async #writeSome(): Promise<void> {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (const each of this.#waiting) {
      if (parts.length > 0 && length + each.length > maxWrite) break;
      parts.push(each);
      length += each.length;
    }
    this.#waiting.splice(0, parts.length);
    const [only] = parts;
    const bytes = only?.length === length ? only : Buffer.concat(parts);
    for (let at = 0; at < length; ) {
      const { bytesWritten } = await writeAsync(
        this.#fd,
        bytes,
        at,
        length - at,
        this.#length + at,
      );
      at += bytesWritten;
    }
    this.#length += length;
    this.#waitingBytes -= length;
  }

  /** A line that was written in part is removed. */
  #fail(error: Error): void {
    this.#isOpen = false;
    this.#failure = error;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const act of [() => ftruncateSync(this.#fd, this.#length), () => closeSync(this.#fd)]) {
      try {
        act();
      } catch {
        // Readers leave it out.
      }
    }
    this.#onFailed(error);
  }
}
