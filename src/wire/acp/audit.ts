import type { ErrorCode, ExitStatus } from '#model';

/** Who asked for what, and where. Of the environment the names alone: values may be secrets. */
export interface AuditedCommand {
  readonly conversation: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where it ran, or was to run. */
  readonly cwd: string;
  readonly envNames: readonly string[];
}

/** A command was started, has ended, or was refused. Each record is whole by itself. */
export type AuditRecord = AuditedCommand & {
  /** ISO 8601, UTC. */
  readonly time: string;
} & (
    | { readonly event: 'start'; readonly terminal: string }
    | {
        readonly event: 'exit';
        readonly terminal: string;
        /** Null where the coordinator was lost before the program ended. */
        readonly exit: ExitStatus | null;
        readonly durationMs: number;
      }
    | { readonly event: 'refused'; readonly error: ErrorCode; readonly message: string }
  );
