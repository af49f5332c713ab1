import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { ioError, VtrError } from '#model';
import { fileProblem } from '#trust';
import type { AuditRecord } from './audit.ts';

/** Does not follow a link, and does not block on a pipe without a reader. */
const flags =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_NOFOLLOW |
  constants.O_NONBLOCK;

/** Writes records as lines of JSON to a file that only its user may read. Opened for each line, so that it can be rotated. */
export class AuditFile {
  readonly #path: string;

  /** @throws VtrError IO_ERROR if it cannot be written, INVALID_ARGUMENT if others may read it */
  constructor(path: string) {
    this.#path = path;
    this.#opened(() => {});
  }

  /** @throws VtrError as the constructor */
  write(record: AuditRecord): void {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    this.#opened((file) => append(file, line));
  }

  #opened(use: (file: number) => void): void {
    try {
      const file = openSync(this.#path, flags, 0o600);
      try {
        const problem = problemOf(file, this.#path);
        if (problem !== null) throw this.#refusal(problem);
        use(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      const isLink = (error as NodeJS.ErrnoException).code === 'ELOOP';
      if (isLink) throw this.#refusal('it is a symbolic link', error);
      throw ioError(this.#path, 'written', error);
    }
  }

  #refusal(problem: string, cause?: unknown): VtrError {
    const message = `cannot write the audit file ${JSON.stringify(this.#path)}: ${problem}`;
    return new VtrError('INVALID_ARGUMENT', message, { cause, details: { path: this.#path } });
  }
}

/** Appends all of a line, or nothing: a full disk takes its beginning, which the next line would continue. */
function append(file: number, line: Buffer): void {
  const written = writeSync(file, line);
  if (written === line.length) return;
  ftruncateSync(file, fstatSync(file).size - written);
  throw new Error('its disk is full');
}

function problemOf(file: number, path: string): string | null {
  const stat = fstatSync(file);
  if (!stat.isFile()) return 'it is not a regular file';
  const found = fileProblem(path, stat, { owner: 'user', others: 'nothing' });
  return found === null ? null : `${found.problem}; ${found.fix}`;
}
