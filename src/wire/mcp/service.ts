import { Emitter, ignored, type Log } from '#base';
import type { McpOptions } from './options.ts';
import { Recent } from './recent.ts';
import { redactedHost, type SessionHost } from './redacted-host.ts';

/** Remembered session names. They distinguish sessions that are gone from those that never existed. */
const maxRemembered = 1000;

type Fate = 'made' | 'destroyed';

/** State that all clients of an MCP server share. */
export class Service {
  /** As calls see it. */
  readonly host: SessionHost;
  /** As it is; of what it returns, nothing is shown to a client. */
  readonly ownHost: SessionHost;
  readonly options: McpOptions;
  readonly log: Log;
  /** This server made or destroyed the session of this name. */
  readonly sessionsChanged = new Emitter<string>();
  readonly #fates = new Recent<Fate>(maxRemembered);
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: SessionHost, options: McpOptions, log: Log) {
    this.ownHost = host;
    this.host = options.redact ? redactedHost(host) : host;
    this.options = options;
    this.log = log;
  }

  /** Runs operations of all clients one after another, so that each sees the sessions that the one before made. */
  oneAtATime<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(operation);
    this.#turn = ignored(result, 'the caller gets the error');
    return result;
  }

  onCreate(session: string): void {
    this.log('info', `made session ${session}`);
    this.#remember(session, 'made');
  }

  destroyed(session: string): void {
    this.log('info', `destroyed session ${session}`);
    this.#remember(session, 'destroyed');
  }

  /** Returns what this server did last with a session of that name; null if nothing. */
  fateOf(session: string): Fate | null {
    return this.#fates.get(session) ?? null;
  }

  #remember(session: string, fate: Fate): void {
    this.#fates.touch(session, fate);
    this.sessionsChanged.emit(session);
  }
}
