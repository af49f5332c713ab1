import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { preface } from '../frames/frame.ts';

/** The first bytes of HTTP/2 (RFC 9113, 3.4); no method of HTTP/1.1 starts with them. */
const http2Preface = 'PRI';

export type Protocol = 'http1' | 'http2' | 'frames';

/** Returns the protocol that begins with some bytes; null if that needs more of them. */
function protocolOf(head: string): Protocol | null {
  if (head.startsWith(preface)) return 'frames';
  if (head.startsWith(http2Preface)) return 'http2';
  return [preface, http2Preface].some((each) => each.startsWith(head)) ? null : 'http1';
}

/** A connection that sends nothing is closed after this time, in ms. */
const silenceMs = 10_000;

/**
 * Detects a connection's protocol by its first bytes and puts them back before `handle` is called, except
 * vtr's own preface. Connections that break or stay silent until then are destroyed.
 */
export function detectProtocol(socket: Socket, handle: (protocol: Protocol) => void): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const protocol = protocolOf(head.toString('latin1', 0, preface.length));
    if (protocol === null) return;
    socket.off('data', onData).off('error', onError).off('timeout', onTimeout);
    socket.setTimeout(0);
    socket.pause();
    const rest = protocol === 'frames' ? head.subarray(preface.length) : head;
    if (rest.length > 0) socket.unshift(rest);
    handle(protocol);
    process.nextTick(() => socket.resume());
  };
  const onError = () => socket.destroy();
  const onTimeout = () => socket.destroy();
  socket.on('data', onData).on('error', onError).on('timeout', onTimeout);
  socket.setTimeout(silenceMs);
}

/** Time in which a working connection sends a frame, in ms. */
const sendMs = 1000;

/**
 * Closes a connection whose peer has violated the protocol. Node 20 reports the error to the peer,
 * then neither reads nor writes, emits no event, and keeps the connection and its descriptor for
 * ever, even after the peer is gone. Such a connection differs from others in one thing: a ping stays
 * in its queue.
 *
 * @param quietMs a connection without calls is checked once it has been silent this long
 */
export function closeBroken(session: ServerHttp2Session, quietMs: number): void {
  let streams = 0;
  session.on('stream', (stream) => {
    streams++;
    stream.once('close', () => streams--);
  });
  const isIdle = () => streams === 0 && !session.destroyed && !session.closed;
  session.setTimeout(quietMs, () => {
    if (!isIdle()) return;
    session.ping(() => {});
    setTimeout(() => {
      if (isIdle() && (session.state.outboundQueueSize ?? 0) > 0) session.close();
    }, sendMs).unref();
  });
}
