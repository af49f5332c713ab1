import type { Socket } from 'node:net';

/** How a connection of HTTP/2 begins (RFC 9113, 3.4); no method of HTTP/1.1 does. */
const preface = 'PRI';

/** Who connects and says nothing is let go after this, in ms. */
const silenceMs = 10_000;

/**
 * Tells what a connection speaks by its first bytes, which are put back for who handles it.
 * Connections that break or stay silent before are destroyed.
 */
export function sniff(socket: Socket, handle: (version: 'http1' | 'http2') => void): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    if (head.length < preface.length && preface.startsWith(head.toString('latin1'))) return;
    socket.off('data', onData).off('error', onError).off('timeout', onTimeout);
    socket.setTimeout(0);
    socket.pause();
    socket.unshift(head);
    handle(head.toString('latin1').startsWith(preface) ? 'http2' : 'http1');
    process.nextTick(() => socket.resume());
  };
  const onError = () => socket.destroy();
  const onTimeout = () => socket.destroy();
  socket.on('data', onData).on('error', onError).on('timeout', onTimeout);
  socket.setTimeout(silenceMs);
}
