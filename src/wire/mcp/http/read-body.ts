import type { IncomingMessage } from 'node:http';

/** More than any call of ours needs: text to type is a megabyte at most. */
export const maxBodyBytes = 4 * 1024 * 1024;
/** Of a body that is too long so much is read and dropped, for the client to hear the answer. */
const maxDroppedBytes = 16 * maxBodyBytes;

/** The body; null where it is too long. Rejects when the client goes. */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > maxDroppedBytes) break;
  }
  return bytes > maxBodyBytes ? null : Buffer.concat(chunks).toString('utf8');
}
