import type { Socket } from 'node:net';
import { type Libc, loadLibc } from './libc.ts';
import { linuxAbi } from './linux-abi.ts';

/** How a system reports the process at the other end of a Unix socket. */
interface PeerOption {
  readonly level: number;
  readonly name: number;
  readonly bytes: number;
  /** The offset of the uid, which has 32 bits. */
  readonly uid: number;
}

const options: Readonly<Partial<Record<NodeJS.Platform, PeerOption>>> = {
  /** SO_PEERCRED, unix(7). */
  linux: { level: linuxAbi.SOL_SOCKET, name: linuxAbi.SO_PEERCRED, ...linuxAbi.ucred },
  /** SOL_LOCAL, LOCAL_PEERCRED and struct xucred of sys/un.h and sys/ucred.h. */
  darwin: { level: 0, name: 1, bytes: 76, uid: 4 },
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
export function peerUid(connection: Socket): number | null {
  const option = options[process.platform];
  const fd = fdOf(connection);
  const call = option === undefined || fd === null ? null : getsockopt();
  if (option === undefined || fd === null || call === null) return null;
  const credentials = Buffer.alloc(option.bytes);
  const bytes = new Int32Array([option.bytes]);
  if (call(fd, option.level, option.name, credentials, bytes) !== 0) return null;
  return credentials.readUInt32LE(option.uid);
}

/** Node.js has no other way to the descriptor. */
function fdOf(connection: Socket): number | null {
  const { _handle: handle } = connection as unknown as { _handle?: { fd?: unknown } | null };
  const fd = handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? fd : null;
}
