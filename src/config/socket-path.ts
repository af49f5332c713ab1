import { resolve } from 'node:path';
import { VtrError } from '#model';

/**
 * sockaddr_un holds 104 bytes on macOS and 108 on Linux, a final NUL included. Node cuts longer
 * paths without a word and binds another name.
 */
const maxSocketPathBytes = 103;

/** Whether a text is an address with a scheme, which is never a path. */
export const isAddress = (given: string): boolean => /:\/\/|^exec:/.test(given);

/**
 * Refuses addresses. No scheme is supported yet: a coordinator is reached by the path of a socket.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkNotAddress(given: string): void {
  if (!isAddress(given)) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `unsupported address ${given}; give the path of a Unix socket`,
  );
}

/**
 * Returns the absolute path of a socket.
 *
 * @param cwd the directory of a relative path; that of the process if absent
 * @throws VtrError INVALID_ARGUMENT for an address
 */
export function resolveSocket(given: string, cwd = ''): string {
  checkNotAddress(given);
  return resolve(cwd, given);
}

/** @throws VtrError INVALID_ARGUMENT */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (path.includes('\0')) {
    throw new VtrError('INVALID_ARGUMENT', 'the path of the socket holds a NUL byte');
  }
  if (bytes <= maxSocketPathBytes) return path;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `the path of the socket has ${bytes} bytes, and the system takes ${maxSocketPathBytes}: ` +
      `${path}; choose a shorter one with --socket or VTR_SOCKET`,
    { details: { bytes, maxBytes: maxSocketPathBytes } },
  );
}
