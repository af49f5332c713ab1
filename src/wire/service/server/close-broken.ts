import type { ServerHttp2Session } from 'node:http2';

/** For a frame to leave, where the connection takes any, in ms. */
const leaveMs = 1000;

/**
 * Closes a connection whose peer has broken the protocol. Node says so to the peer, neither reads nor
 * writes from then on, tells nobody, and keeps the connection and its descriptor for ever, also when
 * the peer is long gone (Node 20). What is different about such a connection is that a
 * ping does not leave it.
 *
 * @param quietMs a connection without calls is looked at once when it has been silent for so long
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
    }, leaveMs).unref();
  });
}
