import { VtrError } from '#model';

/**
 * sockaddr_un holds 104 bytes on macOS and 108 on Linux, a final NUL included. Node cuts longer
 * paths without a word and binds another name.
 */
const maxSocketPathBytes = 103;

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
