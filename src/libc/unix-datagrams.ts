import { closeSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { linuxAbi as abi, type Loaded, loadLibc } from './libc.ts';

type Sockets = Loaded<'socket' | 'connect' | 'send'>;

interface SocketAbi {
  /** Flags of socket(2) and of send(2). */
  readonly socket: number;
  readonly send: number;
  /** The length of `sun_path`, with its terminating zero. */
  readonly pathBytes: number;
  /** Whether struct sockaddr_un begins with its length. */
  readonly hasLength: boolean;
}

const systems: Readonly<Partial<Record<NodeJS.Platform, SocketAbi>>> = {
  linux: {
    socket: abi.SOCK_NONBLOCK | abi.SOCK_CLOEXEC,
    send: abi.MSG_DONTWAIT | abi.MSG_NOSIGNAL,
    pathBytes: 108,
    hasLength: false,
  },
  /** sys/socket.h and sys/un.h. libuv closes descriptors in the programs that it starts. */
  darwin: { socket: 0, send: 0x80, pathBytes: 104, hasLength: true },
};

/** A connection that sends datagrams to a Unix socket, which Node.js cannot do. It never waits. */
export class UnixDatagrams {
  readonly #calls: Sockets;
  readonly #abi: SocketAbi;
  readonly #fd: number;
  #isClosed = false;

  private constructor(calls: Sockets, system: SocketAbi, fd: number) {
    this.#calls = calls;
    this.#abi = system;
    this.#fd = fd;
  }

  /**
   * Connects to a socket.
   *
   * @throws Error with the name of the failure as `code`, for example ENOENT, or EPROTOTYPE if it is a stream socket;
   * without a code where the C library cannot be called: without koffi, and on other systems
   */
  static connect(path: string): UnixDatagrams {
    const system = systems[process.platform];
    if (system === undefined) throw new Error(`vtr sends no datagrams on ${process.platform}`);
    const address = addressOf(path, system);
    const calls = loadCalls();
    const fd = calls.libc.socket(abi.AF_UNIX, abi.SOCK_DGRAM | system.socket, 0);
    if (fd < 0) throw systemError('socket', calls.errno());
    const connection = new UnixDatagrams(calls, system, fd);
    if (calls.libc.connect(fd, address, address.length) === 0) return connection;
    const error = systemError('connect', calls.errno());
    connection.close();
    throw error;
  }

  /**
   * Sends one datagram.
   *
   * @throws Error with the name of the failure as `code`: EAGAIN if the receiver is slow, ECONNREFUSED if it has
   * ended, EMSGSIZE if the datagram is too large
   */
  send(bytes: Uint8Array): void {
    const { libc, errno } = this.#calls;
    if (libc.send(this.#fd, bytes, bytes.length, this.#abi.send) >= 0) return;
    throw systemError('send', errno());
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#fd);
  }
}

function loadCalls(): Sockets {
  try {
    return loadLibc(['socket', 'connect', 'send']);
  } catch (cause) {
    throw new Error('the C library cannot be called: the optional package koffi is missing', {
      cause,
    });
  }
}

/** struct sockaddr_un. @throws Error ENAMETOOLONG */
function addressOf(path: string, { pathBytes, hasLength }: SocketAbi): Buffer {
  const name = Buffer.from(path);
  if (name.length >= pathBytes) {
    throw Object.assign(new Error(`connect ENAMETOOLONG`), { code: 'ENAMETOOLONG' });
  }
  const address = Buffer.alloc(2 + pathBytes);
  if (hasLength) address.set([address.length, abi.AF_UNIX]);
  else address.writeUInt16LE(abi.AF_UNIX);
  address.set(name, 2);
  return address;
}

function systemError(call: string, errno: number): Error {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`${call} ${code}`), { code, errno, syscall: call });
}
