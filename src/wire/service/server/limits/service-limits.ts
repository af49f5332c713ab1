/** What clients may take of the service together and each; all are parameters for tests. */
export interface ServiceLimits {
  /** Requests that are under way, in bytes: of all connections. */
  readonly requestBytes: number;
  /** The same of one connection. */
  readonly connectionRequestBytes: number;
  /** The head of a request must be complete within this time, in ms. */
  readonly headMs: number;
  /** In this time, in ms, the body of a request must gain {@link leastGainBytes}, or be complete. */
  readonly bodyMs: number;
  /** A connection without a call is closed after this time, in ms. */
  readonly idleMs: number;
  readonly maxConnections: number;
  /** How many files the process can still open; null if that is not known. */
  readonly filesLeft: () => number | null;
}

export const defaultLimits: ServiceLimits = {
  requestBytes: 64 * 1024 * 1024,
  connectionRequestBytes: 16 * 1024 * 1024,
  headMs: 10_000,
  bodyMs: 30_000,
  idleMs: 600_000,
  maxConnections: 2048,
  filesLeft: () => null,
};

/** See {@link ServiceLimits.bodyMs}. */
export const leastGainBytes = 1024;
