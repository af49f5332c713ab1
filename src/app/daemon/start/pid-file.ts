import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { checkWritePath, removeFile, replaceFile } from '#config';
import { VtrError } from '#model';
import { type ProcessIdentity, thisProcess } from './process-identity.ts';

/** The contents of a pid file: pid, start time and socket, one per line. */
export interface PidFileFacts extends ProcessIdentity {
  readonly socket: string;
}

/**
 * Writes the pid file of this process, in one step.
 *
 * @returns a function that removes the file if it is unchanged; it throws VtrError IO_ERROR
 * @throws VtrError IO_ERROR, INVALID_ARGUMENT if another user has put a link there
 */
export function writePidFile(file: string, socket: string): () => void {
  checkWritePath(file);
  const { pid, start } = thisProcess();
  const text = `${[pid, start, socket, randomUUID()].join('\n')}\n`;
  replaceFile(file, text, { mode: 0o644 });
  return () => {
    if (readOrNull(file) === text) removeFile(file);
  };
}

/** @throws VtrError INVALID_ARGUMENT if vtr did not write the file */
export function readPidFile(file: string): PidFileFacts {
  const [pid, start, socket] = (readOrNull(file) ?? '').split('\n');
  if (socket && Number.isInteger(Number(pid)) && Number.isInteger(Number(start))) {
    return { pid: Number(pid), start: Number(start), socket };
  }
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${file} is not a pid file of vtr; stop the daemon with vtr serve --stop --socket PATH`,
  );
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
