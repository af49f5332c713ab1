import { VtrError } from '#model';

/** What a call counts at least, in bytes: roughly what the process keeps of a small one. */
export const callBytes = 4 * 1024;

/** What each connection can take, whatever others hold, in bytes: a call of a few kilobytes. */
export const ownBytes = 16 * 1024;

/**
 * The bytes of requests that are under way: received, and their calls not yet answered.
 *
 * A connection has a small part of its own, so that connections that hold what they can do not shut out
 * the calls of others. Beyond that, it may hold no more of the shared part than it leaves free.
 */
export class RequestBudget {
  readonly #limits: BudgetLimits;
  /** What all connections can take together besides their own parts. */
  readonly #maxShared: number;
  #shared = 0;
  /** How often {@link change} has failed. */
  refused = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
    this.#maxShared = limits.requestBytes - limits.maxConnections * ownBytes;
  }

  connection(): ConnectionBudget {
    return new ConnectionBudget(this);
  }

  /**
   * A connection holds other bytes than before.
   *
   * @throws VtrError REQUEST_BACKLOG
   */
  change(from: number, to: number): void {
    const shared = sharedOf(to);
    const more = shared - sharedOf(from);
    if (more > 0) this.#check(to, shared, more);
    this.#shared += more;
  }

  #check(all: number, bytes: number, more: number): void {
    const { connectionRequestBytes, requestBytes } = this.#limits;
    if (all > connectionRequestBytes) {
      const what = `${megabytes(connectionRequestBytes)} of requests of this connection are under way`;
      const message = `${what}; wait for answers, or use another connection`;
      this.refused++;
      throw backlog(message, connectionRequestBytes);
    }
    if (bytes > this.#maxShared - this.#shared - more) {
      const message = `requests of all connections take ${megabytes(this.#shared)}, and too little is left for this one; try again when some are answered`;
      this.refused++;
      throw backlog(message, requestBytes);
    }
  }
}

export type BudgetLimits = Pick<
  ServiceLimits,
  'requestBytes' | 'connectionRequestBytes' | 'maxConnections'
>;

const sharedOf = (total: number): number => Math.max(0, total - ownBytes);

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;

/** Without a stack, which takes longer than the rest: a client can have thousands refused. */
function backlog(message: string, limitBytes: number): VtrError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return new VtrError('REQUEST_BACKLOG', message, { details: { limitBytes } });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The part of one connection. */
export class ConnectionBudget {
  readonly #budget: RequestBudget;
  #total = 0;

  constructor(budget: RequestBudget) {
    this.#budget = budget;
  }

  hold(): HeldBytes {
    return new HeldBytes(this);
  }

  /** @throws VtrError REQUEST_BACKLOG; then nothing has changed */
  change(bytes: number): void {
    this.#budget.change(this.#total, this.#total + bytes);
    this.#total += bytes;
  }
}

/** What one request holds. */
export class HeldBytes {
  readonly #connection: ConnectionBudget;
  #bytes = 0;

  constructor(connection: ConnectionBudget) {
    this.#connection = connection;
  }

  /** @throws VtrError REQUEST_BACKLOG; then it holds what it held */
  add(bytes: number): void {
    this.#connection.change(bytes);
    this.#bytes += bytes;
  }

  /** Gives back all but the last `bytes`. */
  keep(bytes: number): void {
    if (bytes >= this.#bytes) return;
    this.#connection.change(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  give(bytes: number): void {
    this.keep(this.#bytes - bytes);
  }

  release(): void {
    this.keep(0);
  }
}

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
