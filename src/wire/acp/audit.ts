import type { ErrorCode, ExitStatus } from '#model';

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
