import type { Server } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { commandPreface } from '../command-frames.ts';
import { preface } from '../frames/frame.ts';

/** The first bytes of HTTP/2 (RFC 9113, 3.4); no method of HTTP/1.1 starts with them. */
const http2Preface = 'PRI';

export type Protocol = 'http1' | 'http2' | 'frames' | 'command';

const prefaces = [
  ['frames', preface],
  ['http2', http2Preface],
  ['command', commandPreface],
] as const;

const longestPreface = Math.max(...prefaces.map(([, bytes]) => bytes.length));

/** Returns the protocol that begins with some bytes; null if that needs more of them. */
function protocolOf(head: string): Protocol | null {
  const match = prefaces.find(([, bytes]) => head.startsWith(bytes));
  if (match !== undefined) return match[0];
  return prefaces.some(([, bytes]) => bytes.startsWith(head)) ? null : 'http1';
}

/** Calls `check` after a time, when what has arrived meanwhile was read: the process may have been suspended. */
function afterInput(delayMs: number, check: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(check), delayMs).unref();
}

/**
 * Detects a connection's protocol by its first bytes and puts them back before `handle` is called, except
 * vtr's own prefaces. Connections that break, or that do not tell within `headMs`, are destroyed.
 */
export function detectProtocol(
  socket: Socket,
  headMs: number,
  handle: (protocol: Protocol) => void,
): void {
  let head = Buffer.alloc(0);
  let isDetected = false;
  const onData = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const protocol = protocolOf(head.toString('latin1', 0, longestPreface));
    if (protocol === null) return;
    isDetected = true;
    clearTimeout(timer);
    socket.off('data', onData).off('error', onError);
    socket.pause();
    const own = prefaces.find(([name]) => name === protocol && name !== 'http2');
    const rest = head.subarray(own?.[1].length ?? 0);
    if (rest.length > 0) socket.unshift(rest);
    handle(protocol);
    process.nextTick(() => socket.resume());
  };
  const onError = () => socket.destroy();
  const timer = afterInput(headMs, () => {
    if (!isDetected) socket.destroy();
  });
  socket.on('data', onData).on('error', onError);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Closes connections of HTTP/1.1 on which the head of a request is not complete in time: since the
 * connection was opened, or the request before it was answered. Node checks only what it listens to.
 */
export class RequestHeads {
  readonly #headMs: number;
  readonly #timers = new WeakMap<Socket, NodeJS.Timeout>();
  readonly #pending = new WeakMap<Socket, number>();
  readonly #sockets = new Set<Socket>();

  constructor(server: Server, headMs: number) {
    this.#headMs = headMs;
    server.on('connection', (socket: Socket) => {
      this.#await(socket);
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        clearTimeout(this.#timers.get(socket));
      });
    });
    server.on('request', ({ socket }, response) => {
      clearTimeout(this.#timers.get(socket));
      this.#pending.set(socket, (this.#pending.get(socket) ?? 0) + 1);
      response.once('close', () => {
        const pending = (this.#pending.get(socket) ?? 0) - 1;
        this.#pending.set(socket, pending);
        if (pending === 0 && !socket.destroyed) this.#await(socket);
      });
    });
  }

  /** Closes the connections without a request. Node knows those only of servers that listen. */
  closeIdle(): void {
    for (const socket of this.#sockets) if (!this.#pending.get(socket)) socket.destroy();
  }

  #await(socket: Socket): void {
    const timer = afterInput(this.#headMs, () => {
      if (this.#timers.get(socket) === timer && !this.#pending.get(socket)) socket.destroy();
    });
    this.#timers.set(socket, timer);
  }
}

/**
 * Closes a connection of HTTP/2 without streams whose peer sends half of something: of the preface, of
 * headers, of any frame. Node reports none of it, but such a peer cannot answer a ping.
 *
 * Closes one whose peer has violated the protocol also with streams: then Node neither reads nor writes,
 * emits no event, and keeps the connection for ever, even after the peer is gone. A ping stays in its
 * queue then, although nothing waits to be written to the socket.
 *
 * @param headMs what was begun must be complete in this time
 */
export function closeHalfSent(session: ServerHttp2Session, socket: Socket, headMs: number): void {
  let streams = 0;
  let isPinged = false;
  /** What was received when a ping was answered, in bytes. */
  let completeBytes = -1;
  session.on('stream', (stream) => {
    streams++;
    stream.once('close', () => streams--);
  });
  const isBroken = () => (session.state.outboundQueueSize ?? 0) > 0 && !isWriting(socket);
  const look = () => {
    if (session.destroyed || session.closed) return;
    if (isPinged) {
      if (streams === 0 || isBroken()) session.destroy();
    } else if (socket.bytesRead !== completeBytes) {
      isPinged = true;
      session.ping((error) => {
        isPinged = false;
        if (error === null) completeBytes = socket.bytesRead;
      });
    }
  };
  const timer = setInterval(() => setImmediate(look), headMs / 2).unref();
  session.once('close', () => clearInterval(timer));
}

/** Whether something waits to be written, which Node tells only here; true where it does not. */
function isWriting(socket: Socket): boolean {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } };
  return handle?.writeQueueSize !== 0;
}
