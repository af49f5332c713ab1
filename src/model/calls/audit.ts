/** Who makes calls. */
export interface Client {
  /**
   * The kind of program, as it says: `cli`, `mcp`, `acp`, `web` (the page), `share` (a visitor), `library`,
   * `grpc` (any other); `vtr` for the coordinator itself.
   */
  readonly kind: string;
  /** The process that connected, as the kernel reports it; absent if it is not known. */
  readonly pid?: number;
}

const kindPattern = /^[a-z][a-z0-9-]{0,31}$/;

/** Returns the kind that a client names, or `usual`. */
export const clientKind = (named: string | undefined, usual: string): string =>
  named !== undefined && kindPattern.test(named) ? named : usual;

let calling: Client | null = null;

/**
 * Makes a call for a client. What `call` does before it awaits anything can ask for the client with
 * {@link callingClient}: every call of a coordinator begins there, so no method needs a parameter for it.
 */
export function callAs<T>(client: Client | null, call: () => T): T {
  const before = calling;
  calling = client;
  try {
    return call();
  } finally {
    calling = before;
  }
}

/** Returns the client for which a call begins now; null if that is not known. */
export const callingClient = (): Client | null => calling;

/** The audit trail of a coordinator. */
export interface AuditState {
  /** Where its files are. */
  readonly directory: string;
  /** Entries that could not be written since the daemon was started. */
  readonly lost: number;
  /** Whether the last entry could not be written. */
  readonly isLosing: boolean;
  /** Why the last one that was lost could not be written. */
  readonly reason?: string;
}
