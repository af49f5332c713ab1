import { performance } from 'node:perf_hooks';
import { createContextKey } from '@connectrpc/connect';
import { Queue } from '#base';
import { type Client, flow, type ReadMark } from '#model';
import { CallOrder } from '../../call-order.ts';
import {
  type ConnectionBudget,
  defaultLimits,
  RequestBudget,
  type ServiceLimits,
} from './request-budget.ts';

/** The client that makes a call; null if it is not known. */
export const clientKey = createContextKey<Client | null>(null);

/** A call's place among those of its connection, and of all. */
export interface AcceptedCall {
  /** Resolves when all calls of the connection before it are done. */
  readonly ready: Promise<void>;
  /** Resolves when it may run; null if it may now. */
  turn(): Promise<void> | null;
  /** Lets the next call of the connection proceed. Further calls of it do nothing. */
  done(): void;
}

export const callKey = createContextKey<AcceptedCall | null>(null);

/**
 * Sends the client of a call the mark before its input, with which the client repeats the call should this process be
 * killed; null if it asks for one. The system has it before the function returns, so before anything is typed.
 */
export const markKey = createContextKey<((mark: ReadMark) => void) | null>(null);

/** Tells that the handler is done with the messages before the next one of a client that streams. */
export const handledKey = createContextKey<() => void>(() => {});

/** What the connections of a server share. */
export class SharedLimits {
  readonly limits: ServiceLimits;
  readonly #turns = new Turns();
  readonly #budget: RequestBudget;

  constructor(limits: Partial<ServiceLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits };
    this.#budget = new RequestBudget(this.limits);
  }

  /** Requests that were refused because too much was under way. */
  get refusedRequests(): number {
    return this.#budget.refused;
  }

  connection(client: Client | null = null): ServedConnection {
    return new ServedConnection(this.limits, this.#turns.lane(), this.#budget.connection(), client);
  }
}

/** What the calls of one client share. */
export class ServedConnection {
  readonly limits: ServiceLimits;
  readonly lane: Lane;
  readonly budget: ConnectionBudget;
  client: Client | null;
  /** Closes the connection, in which no call is under way. Each protocol has its own way. */
  retire: () => void = () => {};
  /** Functions that end calls which do not notice the end of the connection themselves. */
  readonly waitingCalls = new Set<() => void>();
  readonly #order = new CallOrder();
  #serving = 0;
  #lastMs = performance.now();

  constructor(limits: ServiceLimits, lane: Lane, budget: ConnectionBudget, client: Client | null) {
    this.client = client;
    this.limits = limits;
    this.lane = lane;
    this.budget = budget;
  }

  /** Gives a call its place. Must be called in the order in which calls are made. */
  begin(): AcceptedCall {
    const { ready, done } = this.#order.add();
    return { ready, done, turn: () => this.lane.turn() };
  }

  /** Since when no call whose request has been received is under way, in ms; null if one is. */
  get idleSinceMs(): number | null {
    return this.#serving > 0 ? null : this.#lastMs;
  }

  /** The request of a call has been received. */
  received(): void {
    this.#serving++;
  }

  /** A call for which {@link received} was called has ended. */
  answered(): void {
    this.#serving--;
    this.#lastMs = performance.now();
  }

  closed(): void {
    for (const end of [...this.waitingCalls]) end();
  }
}

const { turnMs } = flow.calls;

/**
 * Shares the time of the process among connections: one that sends a thousand calls at once delays the
 * others by one of them. A call that comes alone runs at once.
 */
export class Turns {
  /** Those with waiting calls, each once. */
  readonly #waiting = new Queue<Lane>();
  /** Whose call runs. */
  #running: Lane | null = null;
  #beganMs = 0;
  /** The time spent in this turn. */
  #spentMs = 0;
  #isRenewing = false;

  /** Returns the place of a connection. */
  lane(): Lane {
    return new Lane(this);
  }

  /** Whether a call of a lane runs. */
  runs(lane: Lane): boolean {
    return this.#running === lane;
  }

  /** Begins a call if it may run now. */
  begins(lane: Lane): boolean {
    if (this.#running !== null || this.#spentMs >= turnMs) return false;
    this.#begin(lane);
    return true;
  }

  /** A lane has its first waiting call. */
  wait(lane: Lane): void {
    this.#waiting.push(lane);
  }

  #begin(lane: Lane): void {
    this.#running = lane;
    this.#beganMs = performance.now();
    // When all has run that the call does without waiting for something.
    queueMicrotask(this.#afterMicrotasks);
  }

  readonly #afterMicrotasks = () => process.nextTick(this.#ran);

  readonly #ran = () => {
    this.#running = null;
    this.#spentMs += performance.now() - this.#beganMs;
    if (!this.#isRenewing) {
      this.#isRenewing = true;
      setImmediate(this.#renew);
    }
    if (this.#spentMs < turnMs) this.#runNext();
  };

  readonly #renew = () => {
    this.#isRenewing = false;
    this.#spentMs = 0;
    if (this.#running === null) this.#runNext();
  };

  #runNext(): void {
    const lane = this.#waiting.shift();
    if (lane === undefined) return;
    this.#begin(lane);
    if (lane.runNext()) this.#waiting.push(lane);
  }
}

/** The calls of one connection, of which one at a time runs. */
export class Lane {
  readonly #turns: Turns;
  readonly #waiting = new Queue<() => void>();

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Resolves when a call may run; null if it may now. */
  turn(): Promise<void> | null {
    if (this.#waiting.length === 0 && this.#turns.begins(this)) return null;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#turns.wait(this);
    });
  }

  /** Whether one of its calls runs. */
  get isRunning(): boolean {
    return this.#turns.runs(this);
  }

  /** Lets the next call run. @returns whether more wait */
  runNext(): boolean {
    this.#waiting.shift()?.();
    return this.#waiting.length > 0;
  }
}
