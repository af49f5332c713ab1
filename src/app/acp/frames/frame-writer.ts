import type { Writable } from 'node:stream';

/** Writes frames, each whole, in the order of the calls. A peer that is gone is told once. */
export class FrameWriter {
  readonly #stream: Writable;
  readonly #gone: Promise<void>;
  #isGone = false;
  #writtenBytes = 0;
  #drained: Promise<void> | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.#gone = new Promise((resolve) => {
      const onGone = () => {
        this.#isGone = true;
        resolve();
      };
      // EPIPE and the like: what is written from then on is for nobody.
      stream.on('error', onGone);
      stream.on('close', onGone);
    });
  }

  /** Resolves when the peer does not read any more. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /** What waits for the peer to read, in bytes. */
  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  /** What it was given, in bytes, read by the peer or not. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Resolves when there is room for more, or nobody to read it. */
  async write(frame: Uint8Array | string): Promise<void> {
    if (this.#isGone || this.#stream.writableEnded) return;
    this.#writtenBytes += Buffer.byteLength(frame);
    if (!this.#stream.write(frame)) await this.drained();
  }

  /** Resolves when little waits. */
  drained(): Promise<void> {
    if (this.#isGone || !this.#stream.writableNeedDrain) return Promise.resolve();
    this.#drained ??= new Promise<void>((resolve) => {
      this.#stream.once('drain', resolve);
      void this.#gone.then(resolve);
    }).finally(() => {
      this.#drained = null;
    });
    return this.#drained;
  }

  /** Resolves when the peer's end of the stream has all that was written, or nobody reads it. */
  flushed(): Promise<void> {
    if (this.#isGone || this.waitingBytes === 0) return Promise.resolve();
    const taken = new Promise<void>((resolve) => {
      this.#stream.write('', () => resolve());
    });
    return Promise.race([taken, this.#gone]);
  }

  /** No more will be written. */
  end(): void {
    if (!this.#isGone) this.#stream.end();
  }
}
