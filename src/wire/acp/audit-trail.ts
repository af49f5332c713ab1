import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { quoted } from '#base';
import { asVtrError, type ErrorCode, type ExitStatus, ioError, VtrError } from '#model';
import { fileProblem } from '#trust';

interface AuditOptions {
  readonly audit?: (record: AuditRecord) => void;
  readonly auditFile?: string;
  readonly onFault: (error: unknown) => void;
}

/** Records commands in a file and for a listener. */
export class AuditTrail {
  readonly #listener: (record: AuditRecord) => void;
  readonly #file: AuditFile | null;
  readonly #onFault: (error: unknown) => void;

  /** @throws VtrError IO_ERROR, INVALID_ARGUMENT if the file cannot be written */
  constructor({ audit = () => {}, auditFile, onFault }: AuditOptions) {
    this.#listener = audit;
    this.#file = auditFile === undefined ? null : new AuditFile(auditFile);
    this.#onFault = onFault;
  }

  /** @throws VtrError IO_ERROR, INVALID_ARGUMENT if it cannot be recorded; the command must not run then */
  starting(command: AuditedCommand, terminal: string): void {
    this.#write({ time: now(), event: 'start', terminal, ...command });
  }

  exited(
    command: AuditedCommand,
    {
      terminal,
      exit,
      durationMs,
    }: { terminal: string; exit: ExitStatus | null; durationMs: number },
  ): void {
    this.#try({ time: now(), event: 'exit', terminal, ...command, exit, durationMs });
  }

  refused(command: AuditedCommand, thrown: unknown): void {
    const { code: error, message } = asVtrError(thrown);
    this.#try({ time: now(), event: 'refused', ...command, error, message });
  }

  /** For events that have happened: a failure is only reported. */
  #try(record: AuditRecord): void {
    try {
      this.#write(record);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #write(record: AuditRecord): void {
    this.#file?.write(record);
    this.#listener(record);
  }
}

const now = (): string => new Date().toISOString();

/** A requested command. It has only the names of its variables: values may be secrets. */
export interface AuditedCommand {
  readonly conversation: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its directory. */
  readonly cwd: string;
  readonly envNames: readonly string[];
}

/** A command started, ended, or was refused. Each record is complete. */
export type AuditRecord = AuditedCommand & {
  /** ISO 8601, UTC. */
  readonly time: string;
} & (
    | { readonly event: 'start'; readonly terminal: string }
    | {
        readonly event: 'exit';
        readonly terminal: string;
        /** Null if the coordinator was lost before the program ended. */
        readonly exit: ExitStatus | null;
        readonly durationMs: number;
      }
    | { readonly event: 'refused'; readonly error: ErrorCode; readonly message: string }
  );

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
    const message = `cannot write the audit file ${quoted(this.#path)}: ${problem}`;
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
  const problem = fileProblem(path, stat, { owner: 'user', others: 'nothing' });
  return problem === null ? null : `${problem.problem}; ${problem.fix}`;
}
