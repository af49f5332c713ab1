import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { VtrError } from '#model';
import { parseCast, type Recording } from '#recording';

/** Also of what a compressed file contains. */
const maxBytes = 512 * 1024 * 1024;

/**
 * Reads a recording (.cast), compressed or not (.cast.gz).
 *
 * @param name the file in messages
 * @throws VtrError IO_ERROR, INVALID_RECORDING
 */
export function readRecording(path: string, name: string): Recording {
  try {
    const bytes = readFile(path, name);
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    if (!isCompressed) return parseCast(bytes);
    // Of a file whose writer was killed, what there is.
    const finishFlush = constants.Z_SYNC_FLUSH;
    return parseCast(gunzipSync(bytes, { finishFlush, maxOutputLength: maxBytes }));
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

function readFile(path: string, name: string): Uint8Array {
  const fd = openSync(path, 'r');
  try {
    if (fstatSync(fd).size > maxBytes) throw tooLarge(name);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readError(error: unknown, name: string): VtrError {
  if (error instanceof VtrError) {
    const { code, message, details } = error;
    return new VtrError(code, `${name}: ${message}`, { cause: error, details });
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(name);
  if (code.startsWith('Z_')) {
    return new VtrError('INVALID_RECORDING', `${name} is not a valid gzip file: ${message}`);
  }
  const reason = code === 'ENOENT' ? 'there is no such file' : code;
  return new VtrError('IO_ERROR', `${name} cannot be read: ${reason}`, { cause: error });
}

const tooLarge = (name: string): VtrError =>
  new VtrError('INVALID_RECORDING', `${name} has more than ${maxBytes / 1024 / 1024} MiB`);
