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

/** Writes frames, each whole, in the order of calls. */
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
      // After EPIPE and similar errors nobody reads.
      stream.on('error', onGone);
      stream.on('close', onGone);
    });
  }

  /** Resolves when the peer has closed its side. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /** Bytes that the peer has not read yet. */
  get waitingBytes(): number {
    return this.#stream.writableLength;
  }

  /** All bytes written so far, read by the peer or not. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Resolves when more can be written, or the peer is gone. */
  async write(frame: Uint8Array | string): Promise<void> {
    if (this.#isGone || this.#stream.writableEnded) return;
    this.#writtenBytes += Buffer.byteLength(frame);
    if (!this.#stream.write(frame)) await this.drained();
  }

  /** Resolves when the stream's buffer has space, or the peer is gone. */
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

  /** Resolves when the system has all bytes written so far, or the peer is gone. */
  flushed(): Promise<void> {
    if (this.#isGone || this.waitingBytes === 0) return Promise.resolve();
    const taken = new Promise<void>((resolve) => {
      this.#stream.write('', () => resolve());
    });
    return Promise.race([taken, this.#gone]);
  }

  /** Closes the stream. */
  end(): void {
    if (!this.#isGone) this.#stream.end();
  }
}

/**
 * Returns a stream to stdout for the protocol, and redirects all other writes to stdout to stderr: one
 * stray line breaks the editor.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  // The default handler exits at once, but the agent must be ended first.
  stdout.removeAllListeners('error');
  const taken = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void write(chunk, done),
  });
  stdout.on('error', (error) => taken.destroy(error));
  stdout.write = stderr.write.bind(stderr);
  return taken;
}
