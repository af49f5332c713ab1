import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFile, ensurePrivateDirectory, removeFile } from '#config';
import { isVtrError, VtrError } from '#model';
import { fileProblem } from '#trust';

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
    if (isVtrError(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new VtrError('INVALID_ARGUMENT', `cannot read the token file ${file}: ${code}`);
  }
}

function readPrivate(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    // A service may have a token of root's.
    const found = fileProblem(file, fstatSync(descriptor), { owner: 'system', others: 'nothing' });
    if (found === null) return readFileSync(descriptor, 'utf8');
    throw new VtrError('INVALID_ARGUMENT', `the token file ${found.problem}; ${found.fix}`);
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
