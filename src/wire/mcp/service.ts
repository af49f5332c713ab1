import { Emitter, type Log } from '#base';
import type { McpOptions } from './options.ts';
import type { SessionHost } from './session-host.ts';

/** Names of removed sessions that are remembered, to tell them from those that never were. */
const maxDestroyed = 1000;

/** A server of MCP: what all of its clients share. */
export class Service {
  readonly host: SessionHost;
  readonly options: McpOptions;
  readonly log: Log;
  /** A session was made or destroyed here. */
  readonly sessionsChanged = new Emitter<void>();
  readonly #destroyed = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: SessionHost, options: McpOptions, log: Log) {
    this.host = host;
    this.options = options;
    this.log = log;
  }

  /** Runs one such operation after the other: what one counts, the next one finds. */
  inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(operation);
    this.#turn = result.catch(() => {});
    return result;
  }

  destroyed(session: string): void {
    if (this.#destroyed.size < maxDestroyed) this.#destroyed.add(session);
    this.sessionsChanged.emit();
  }

  hasDestroyed(session: string): boolean {
    return this.#destroyed.has(session);
  }
}
