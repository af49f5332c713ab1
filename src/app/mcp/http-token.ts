import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory } from '#config';
import { VtrError } from '#model';

/** 256 bits, as what else proves who somebody is. */
const tokenBytes = 32;
/** A header carries them as they are (RFC 6750, section 2.1), and fewer could be guessed. */
const usable = /^[A-Za-z0-9._~+/-]{16,512}=*$/;

export const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** @throws VtrError INVALID_ARGUMENT */
export function checkToken(token: string, from: string): string {
  if (usable.test(token)) return token;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `the token of ${from} is not usable: give 16 to 512 of A-Z a-z 0-9 . _ ~ + / -`,
  );
}

/** @throws VtrError INVALID_ARGUMENT for a file that others may read, too */
export function readTokenFile(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    if ((fstatSync(descriptor).mode & 0o077) !== 0) {
      throw new VtrError(
        'INVALID_ARGUMENT',
        `others have access to the token file ${file}; chmod 600 ${file}`,
      );
    }
    return checkToken(readFileSync(descriptor, 'utf8').trim(), file);
  } catch (error) {
    if (error instanceof VtrError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new VtrError('INVALID_ARGUMENT', `the token file ${file} cannot be read: ${code}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Where a token of ours is kept: beside the socket, which is as private. */
export const tokenFileOf = (socket: string, port: string): string =>
  join(dirname(socket), `mcp-${port}.token`);

/**
 * Keeps a token for programs of the same user, for as long as it is good.
 *
 * @returns removes the file
 * @throws VtrError UNAVAILABLE for a folder that others can write to
 */
export function writeTokenFile(file: string, token: string): () => void {
  ensurePrivateDirectory(dirname(file));
  // A server that was killed at this port has left its own.
  rmSync(file, { force: true });
  writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
  return () => rmSync(file, { force: true });
}
