import type { Readable } from 'node:stream';
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
