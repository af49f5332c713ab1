import { type Readable, Writable } from 'node:stream';
import { type LineBytes, LineReader } from '#base';

/** Kept of a frame that is too long, to identify its message. */
const headBytes = 64 * 1024;

export interface Frame {
  /** The line with its line end, as received; the last frame may have no line end. */
  readonly bytes: Buffer;
  /** The size of a frame over the limit, of which `bytes` is the beginning; null if `bytes` is all of it. */
  readonly tooLongBytes: number | null;
}

/**
 * Reads the frames of a stream: lines, each a JSON-RPC message. The stream is read only as fast as the
 * frames are consumed, and at most one frame is kept in memory.
 *
 * @param maxBytes without the line end; the rest of a longer frame is read and dropped
 */
export async function* readFrames(
  stream: Readable,
  maxBytes: number,
): AsyncGenerator<Frame, void, void> {
  // `\r\n` is two bytes more.
  const lines = new LineReader({ maxBytes: maxBytes + 2, headBytes });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (const line of lines.push(chunk)) yield frameOf(line);
  }
  const last = lines.end();
  if (last !== null) yield frameOf(last);
}

function frameOf({ bytes, tooLongBytes }: LineBytes): Frame {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), tooLongBytes };
}

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

/**
 * Takes stdout for the protocol alone: whatever else of this process writes there writes to stderr
 * from now on, because one stray line breaks the other side.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // An editor that is gone is the end of the proxy, which has an agent to end first.
  stdout.removeAllListeners('error');
  const taken = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void write(chunk, done),
  });
  stdout.on('error', (error) => taken.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return taken;
}
