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

/** A line that grows; one that comes in one piece is not copied. */
class Line {
  readonly #maxBytes: number;
  /** Its beginning is filled; shared with the chunk that it came in where it came in one. */
  #memory: Buffer = nothing;
  #filled = 0;
  bytes = 0;

  /** @param maxBytes without the line end */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(part: Buffer): void {
    const hadRoom = this.#hasRoom;
    const isFirst = this.bytes === 0;
    this.bytes += part.length;
    if (!hadRoom) return;
    if (isFirst && this.#hasRoom) {
      this.#memory = part;
      this.#filled = part.length;
    } else {
      this.#append(this.#hasRoom ? part : part.subarray(0, headBytes));
    }
    if (!this.#hasRoom) this.#keepHead();
  }

  take(): Frame {
    const tooLongBytes = this.#hasRoom ? null : this.bytes;
    const bytes = this.#memory.subarray(0, this.#filled);
    this.#memory = nothing;
    this.#filled = 0;
    this.bytes = 0;
    return { bytes, tooLongBytes };
  }

  /** `\r\n` is two bytes more. */
  get #hasRoom(): boolean {
    return this.bytes <= this.#maxBytes + 2;
  }

  /** However small the parts are, each byte is copied a few times at most. */
  #append(part: Buffer): void {
    const length = this.#filled + part.length;
    if (length > this.#memory.length) {
      const memory = Buffer.allocUnsafe(length * 2);
      this.#memory.copy(memory, 0, 0, this.#filled);
      this.#memory = memory;
    }
    part.copy(this.#memory, this.#filled);
    this.#filled = length;
  }

  #keepHead(): void {
    this.#filled = Math.min(this.#filled, headBytes);
    this.#memory = Buffer.from(this.#memory.subarray(0, this.#filled));
  }
}

const nothing = Buffer.alloc(0);
