import { performance } from 'node:perf_hooks';
import { createContextKey } from '@connectrpc/connect';
import type { Client } from '#model';
import { CallOrder } from '../../call-order.ts';
import { type ConnectionBudget, RequestBudget } from './request-budget.ts';
import { defaultLimits, type ServiceLimits } from './service-limits.ts';
import { type Lane, Turns } from './turns.ts';

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
