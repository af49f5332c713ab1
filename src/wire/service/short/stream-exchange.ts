import { isAddress } from '#model';
import { openStream, type ToolStreamOptions } from '../tool-stream.ts';
import type { Connection, Exchange } from './pipe-exchange.ts';

export { responds } from '../client/silence.ts';

/** How much is read at a time. */
const readBytes = 64 * 1024;

/**
 * Sends a request to a socket or an address, with `node:net`, which takes longer to load than the rest of a
 * short command: see {@link exchangeOverPipe}. Whose socket it is, is checked first.
 *
 * @param options of a connection through another program
 */
export function exchangeOverStream(
  place: string,
  { request, timeoutMs, received, ended, failed, timedOut }: Exchange,
  options: ToolStreamOptions,
): Connection {
  // Without the events of a stream, whose code takes long to compile.
  const onread = {
    buffer: Buffer.allocUnsafeSlow(readBytes),
    callback: (length: number, buffer: Uint8Array) => {
      received(Buffer.from(buffer.subarray(0, length)));
      return true;
    },
  };
  const stream = openStream(place, { onread, ...options });
  if (isAddress(place)) stream.on('data', received);
  stream.setTimeout(timeoutMs, timedOut);
  stream.on('error', failed);
  stream.on('end', ended);
  stream.write(request);
  return {
    // A program such as ssh ends by itself.
    release: () => {},
    destroy: () => stream.destroy(),
  };
}
