import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { isVtrError, VtrError } from '#model';
import { parseCast, type Recording } from '#recording';

/** The limit for a file, and for the content of a compressed file. */
const maxBytes = 512 * 1024 * 1024;

/** A pipe or a device is read in pieces of this many bytes: its size is not known. */
const pieceBytes = 1024 * 1024;

/**
 * Reads a recording (.cast), compressed or not (.cast.gz).
 *
 * @param name the file in messages
 * @throws VtrError IO_ERROR, INVALID_RECORDING
 */
export function readRecording(path: string, name: string): Recording {
  try {
    const bytes = readFile(path);
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return parseCast(isCompressed ? unzipped(bytes) : bytes);
  } catch (error) {
    throw readError(error, name);
  }
}

/** @throws VtrError INVALID_RECORDING */
export function parseRecording(bytes: Uint8Array, name: string): Recording {
  try {
    return parseCast(bytes);
  } catch (error) {
    throw readError(error, name);
  }
}

function readFile(path: string): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    const stat = fstatSync(fd);
    if (stat.size > maxBytes) throw tooLarge();
    return stat.isFile() ? readFileSync(fd) : readPieces(fd);
  } finally {
    closeSync(fd);
  }
}

function readPieces(fd: number): Uint8Array {
  const piece = new Uint8Array(pieceBytes);
  const pieces: Uint8Array[] = [];
  for (let size = 0; size <= maxBytes; ) {
    const count = readSync(fd, piece);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.slice(0, count));
    size += count;
  }
  throw tooLarge();
}

/** Returns what a compressed file contains; of one whose writer was killed, what there is. */
function unzipped(bytes: Uint8Array): Uint8Array {
  try {
    const finishFlush = constants.Z_SYNC_FLUSH;
    return gunzipSync(bytes, { finishFlush, maxOutputLength: maxBytes });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  }
}

function readError(error: unknown, name: string): VtrError {
  if (isVtrError(error)) {
    const { code, message, details } = error;
    return new VtrError(code, `${name}: ${message}`, { cause: error, details });
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code.startsWith('Z_')) {
    return new VtrError('INVALID_RECORDING', `${name} is not a valid gzip file: ${message}`);
  }
  const reason = code === 'ENOENT' ? 'there is no such file' : code;
  return new VtrError('IO_ERROR', `${name} cannot be read: ${reason}`, { cause: error });
}

const tooLarge = (): VtrError =>
  new VtrError('INVALID_RECORDING', `it has more than ${maxBytes / 1024 / 1024} MiB`);
