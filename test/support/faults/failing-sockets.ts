import net from 'node:net';
import { constants } from 'node:os';
import type { Failure } from './failures.ts';
import {
  type Callable,
  callSite,
  distantSite,
  type Functions,
  failureOf,
  replace,
  systemError,
  unknownSite,
} from './system-calls.ts';

/** What Node calls when the system has something for a socket. */
interface Handle {
  onread: Callable;
  onconnection: Callable;
}

const handleOf = (owner: net.Socket | net.Server): Handle | null =>
  (owner as unknown as { readonly _handle: Handle | null })._handle;

const errnoOf = (failure: Failure): number =>
  constants.errno[failure as keyof typeof constants.errno];

/** Replaces what `net.Socket` and `net.Server` do with a result of the system. */
export function failSockets(): void {
  const socket = net.Socket.prototype as unknown as Functions;
  replace(socket, 'connect', connecting);
  replace(socket, '_writeGeneric', writing);
  replace(net.Server.prototype as unknown as Functions, 'listen', listening);
  const { binding } = process as unknown as { binding: (name: string) => { Pipe: typeof Object } };
  const pipe = binding('pipe_wrap').Pipe.prototype as unknown as Functions;
  replace(pipe, 'connect', ofPipe('connect'));
  replace(pipe, 'readStart', ofPipe('socket.read'));
  replace(pipe, 'writeUtf8String', ofPipe('socket.write'));
}

/** What src does with a pipe itself; a socket does the same by Node. */
const ofPipe =
  (call: 'connect' | 'socket.read' | 'socket.write') =>
  (original: Callable): Callable =>
    function ofPipe(this: unknown, ...args) {
      const site = callSite();
      const path = call === 'connect' ? String(args[1]) : '';
      const failure = site === null ? null : failureOf(call, path, { site });
      return failure === null ? original.apply(this, args) : -errnoOf(failure);
    };

function connecting(original: Callable): Callable {
  return function connect(this: unknown, ...args) {
    // As normalised by net.connect.
    const [[{ path }]] = args as [[{ path?: string }]];
    const own = this as net.Socket;
    if (path === undefined) return original.apply(own, args);
    const site = callSite() === null ? null : distantSite();
    const failure = failureOf('connect', path, { site });
    if (failure === null) {
      original.apply(own, args);
      if (site !== null) failReads(own, site);
      return own;
    }
    process.nextTick(() => own.destroy(systemError(failure, 'connect', path)));
    return own;
  };
}

function writing(original: Callable): Callable {
  return function write(this: unknown, ...args) {
    const own = this as net.Socket;
    const isOurs = own !== process.stdout && own !== process.stderr && !own.connecting;
    const failure = isOurs ? failureOf('socket.write', '', { site: distantSite() }) : null;
    if (failure === null) return original.apply(own, args);
    const done = args.at(-1) as (error: Error) => void;
    process.nextTick(done, systemError(failure, 'write'));
    return undefined;
  };
}

function listening(original: Callable): Callable {
  return function listen(this: unknown, ...args) {
    const own = this as net.Server;
    const [{ path = '' }] = args as [{ path?: string }];
    const site = distantSite();
    // A test listens.
    if (site === unknownSite) return original.apply(own, args);
    const failure = failureOf('listen', path, { site });
    if (failure === null) {
      original.apply(own, args);
      failAccepts(own, site);
      return own;
    }
    process.nextTick(() => own.emit('error', systemError(failure, 'listen', path)));
    return own;
  };
}

/** libuv accepts a connection for which there is no descriptor with one that it keeps, and closes it. */
function failAccepts(server: net.Server, site: string): void {
  const handle = handleOf(server);
  if (handle === null) return;
  const { onconnection } = handle;
  handle.onconnection = function accept(this: unknown, ...args) {
    const [, connection] = args as [number, { close(): void } | undefined];
    const failure = connection === undefined ? null : failureOf('accept', '', { site });
    if (failure !== null) {
      connection?.close();
      return onconnection.call(this, -errnoOf(failure));
    }
    const onConnection = (socket: net.Socket) => failReads(socket, site);
    server.prependOnceListener('connection', onConnection);
    onconnection.apply(this, args);
    server.off('connection', onConnection);
    return undefined;
  };
}

/** A parser of HTTP takes over what a socket reads later: of those, only the first read fails. */
function failReads(socket: net.Socket, site: string): void {
  const handle = handleOf(socket);
  if (handle === null) return;
  const { onread } = handle;
  handle.onread = function read(this: unknown, ...args) {
    const failure = failureOf('socket.read', '', { site });
    if (failure === null) return onread.apply(this, args);
    socket.destroy(systemError(failure, 'read'));
    return undefined;
  };
}
