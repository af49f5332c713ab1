import type { Socket } from 'node:net';
import { type Libc, linuxAbi, loadLibc } from './libc.ts';

/** Where a system reports a number of 32 bits about the process at the other end of a Unix socket. */
interface PeerOption {
  readonly level: number;
  readonly name: number;
  readonly bytes: number;
  readonly offset: number;
}

interface PeerOptions {
  readonly uid: PeerOption;
  readonly pid: PeerOption;
}

/** SO_PEERCRED, unix(7). */
const credentials = {
  level: linuxAbi.SOL_SOCKET,
  name: linuxAbi.SO_PEERCRED,
  bytes: linuxAbi.ucred.bytes,
};

const options: Readonly<Partial<Record<NodeJS.Platform, PeerOptions>>> = {
  linux: {
    uid: { ...credentials, offset: linuxAbi.ucred.uid },
    pid: { ...credentials, offset: linuxAbi.ucred.pid },
  },
  /** SOL_LOCAL, LOCAL_PEERCRED with struct xucred, and LOCAL_PEERPID, of sys/un.h and sys/ucred.h. */
  darwin: {
    uid: { level: 0, name: 1, bytes: 76, offset: 4 },
    pid: { level: 0, name: 2, bytes: 4, offset: 0 },
  },
};

type Getsockopt = Libc['getsockopt'];

let loaded: Getsockopt | null | undefined;

/** Loads koffi at the first call: some 5 ms. */
function getsockopt(): Getsockopt | null {
  if (loaded !== undefined) return loaded;
  try {
    const { libc } = loadLibc(['getsockopt']);
    loaded = libc.getsockopt;
  } catch {
    loaded = null;
  }
  return loaded;
}

/**
 * Returns the effective user of the process that connected to a Unix socket, as it was when it did; null
 * without koffi, on other systems, and for a connection that has ended.
 */
export const peerUid = (connection: Socket): number | null => peerNumber(connection, 'uid');

/**
 * Returns the process that connected, as {@link peerUid}. It may have ended since, or have given the
 * connection to another one.
 */
export const peerPid = (connection: Socket): number | null =>
  // 0: a process outside of this PID namespace.
  peerNumber(connection, 'pid') || null;

function peerNumber(connection: Socket, what: keyof PeerOptions): number | null {
  const option = options[process.platform]?.[what];
  const fd = fdOf(connection);
  const call = option === undefined || fd === null ? null : getsockopt();
  if (option === undefined || fd === null || call === null) return null;
  const value = Buffer.alloc(option.bytes);
  const bytes = new Int32Array([option.bytes]);
  if (call(fd, option.level, option.name, value, bytes) !== 0) return null;
  return value.readUInt32LE(option.offset);
}

/** Node.js has no other way to the descriptor. */
function fdOf(connection: Socket): number | null {
  const { _handle: handle } = connection as unknown as { _handle?: { fd?: unknown } | null };
  const fd = handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? fd : null;
}
