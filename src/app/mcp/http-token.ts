import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellQuoted } from '#base';
import { createFile, ensurePrivateDirectory, removeFile } from '#config';
import { VtrError } from '#model';

/** 256 bits. */
const tokenBytes = 32;
/** Characters that a header carries unchanged (RFC 6750, section 2.1). Shorter tokens can be guessed. */
const usable = /^[A-Za-z0-9._~+/-]{16,512}=*$/;

export const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** @throws VtrError INVALID_ARGUMENT */
export function checkToken(token: string, from: string): string {
  if (usable.test(token)) return token;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `invalid token in ${from}: give 16 to 512 of A-Z a-z 0-9 . _ ~ + / -`,
  );
}

/** Reads a token. @throws VtrError INVALID_ARGUMENT if others have access to the file */
export function readTokenFile(file: string): string {
  try {
    return checkToken(readPrivate(file).trim(), file);
  } catch (error) {
    if (error instanceof VtrError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new VtrError('INVALID_ARGUMENT', `cannot read the token file ${file}: ${code}`);
  }
}

function readPrivate(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if ((fstatSync(descriptor).mode & 0o077) === 0) return readFileSync(descriptor, 'utf8');
    throw new VtrError(
      'INVALID_ARGUMENT',
      `the token file ${file} is accessible to others; chmod 600 ${shellQuoted(file)}`,
    );
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the path of a generated token's file: next to the socket, which is as private. */
export const tokenFileOf = (socket: string, port: string): string =>
  join(dirname(socket), `mcp-${port}.token`);

/**
 * Writes a token to a file for programs of the same user.
 *
 * @returns removes the file
 * @throws VtrError IO_ERROR; UNAVAILABLE if others can write to the directory
 */
export function writeTokenFile(file: string, token: string): () => void {
  ensurePrivateDirectory(dirname(file));
  // A killed server on the same port may have left its file.
  removeFile(file);
  createFile(file, `${token}\n`);
  return () => removeFile(file);
}
