import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { VtrError } from '#model';
import { type ProcessIdentity, thisProcess } from './process-identity.ts';

/** What a pid file says: line by line, the pid first, for whom that is enough. */
export interface PidFileFacts extends ProcessIdentity {
  readonly socket: string;
}

/**
 * Writes who serves a socket, in one step.
 *
 * @returns removes the file, while it is still the same
 * @throws VtrError INVALID_ARGUMENT
 */
export function writePidFile(file: string, socket: string): () => void {
  const { pid, start } = thisProcess();
  const text = `${[pid, start, socket, randomUUID()].join('\n')}\n`;
  const temporary = `${file}.${pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o644, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    throw new VtrError(
      'INVALID_ARGUMENT',
      `the pid file ${file} cannot be written: ${(error as Error).message}`,
      { cause: error },
    );
  }
  return () => {
    if (readOrNull(file) === text) rmSync(file, { force: true });
  };
}

/** @throws VtrError INVALID_ARGUMENT for what is no pid file of ours */
export function readPidFile(file: string): PidFileFacts {
  const [pid, start, socket] = (readOrNull(file) ?? '').split('\n');
  if (socket && Number.isInteger(Number(pid)) && Number.isInteger(Number(start))) {
    return { pid: Number(pid), start: Number(start), socket };
  }
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${file} is no pid file that vtr wrote; stop the daemon by its socket: vtr serve --stop --socket PATH`,
  );
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
