import type { Readable } from 'node:stream';

const lineFeed = 0x0a;

/** Of a frame that is too long so much is kept, to see whose it is. */
const headBytes = 64 * 1024;

export interface Frame {
  /** With its line end, as it came; the last one may have none. */
  readonly bytes: Buffer;
  /** Larger than is allowed: `bytes` is its beginning. Null where it is whole. */
  readonly tooLongBytes: number | null;
}

/**
 * The frames of a stream: lines, each a message of JSON-RPC. The stream is read as the frames are
 * taken, so that a peer which is not read waits; and no more than one frame is held.
 *
 * @param maxBytes without the line end; of a longer one the rest is read and forgotten
 */
export async function* readFrames(
  stream: Readable,
  maxBytes: number,
): AsyncGenerator<Frame, void, void> {
  const line = new Line(maxBytes);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(lineFeed, at);
      if (end === -1) {
        line.push(chunk.subarray(at));
        break;
      }
      line.push(chunk.subarray(at, end + 1));
      yield line.take();
      at = end + 1;
    }
  }
  if (line.bytes > 0) yield line.take();
}

/** A line that grows. */
class Line {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(part: Buffer): void {
    const hadRoom = this.#hasRoom;
    this.bytes += part.length;
    if (this.#hasRoom) this.#parts.push(part);
    else if (hadRoom) this.#parts = [this.#head(part)];
  }

  take(): Frame {
    const tooLongBytes = this.#hasRoom ? null : this.bytes;
    const [first = Buffer.alloc(0), ...others] = this.#parts;
    const bytes = others.length === 0 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.bytes = 0;
    return { bytes, tooLongBytes };
  }

  /** `\r\n` is two bytes more. */
  get #hasRoom(): boolean {
    return this.bytes <= this.#maxBytes + 2;
  }

  #head(part: Buffer): Buffer {
    return Buffer.from(Buffer.concat([...this.#parts, part]).subarray(0, headBytes));
  }
}
