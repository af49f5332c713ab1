import type { Socket } from 'node:net';
import { LocalProxy } from './local-proxy.ts';

/** Bytes that are sent at once. */
const sliceBytes = 512;
/** What waits in the line itself, in bytes: little, as in the modem of a slow line. */
const queueBytes = 4 * 1024;

/**
 * Opens a line that sends to its clients at a fixed rate.
 *
 * @param bytesPerSecond from the target to the clients
 */
export const openSlowLine = (target: number, bytesPerSecond: number): Promise<LocalProxy> =>
  LocalProxy.open(target, (client, upstream) => {
    client.pipe(upstream);
    sendSlowly(upstream, client, bytesPerSecond);
  });

function sendSlowly(from: Socket, to: Socket, bytesPerSecond: number): void {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let isSending = false;
  const send = () => {
    isSending = bytes > 0;
    const [first] = waiting;
    if (first === undefined) return;
    const slice = first.subarray(0, sliceBytes);
    if (slice.length === first.length) waiting = waiting.slice(1);
    else waiting[0] = first.subarray(sliceBytes);
    bytes -= slice.length;
    if (bytes < queueBytes) from.resume();
    setTimeout(
      () => {
        to.write(slice);
        send();
      },
      (slice.length / bytesPerSecond) * 1_000,
    );
  };
  from.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes >= queueBytes) from.pause();
    if (!isSending) send();
  });
}
