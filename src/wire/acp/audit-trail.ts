import { asVtrError, type ExitStatus } from '#model';
import type { AuditedCommand, AuditRecord } from './audit.ts';
import { AuditFile } from './audit-file.ts';

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
