import { Emitter, type Log } from '#base';
import type { Coordinator } from '#model';
import type { McpOptions } from './options.ts';
import { Recent } from './recent.ts';

/** Where the sessions of a server live. */
export interface SessionHost {
  /** Null where no coordinator runs: then there are no sessions, and none is started to say so. */
  reach(): Promise<Coordinator | null>;
  /** As `reach`, and starts one where none runs. @throws VtrError UNAVAILABLE */
  start(): Promise<Coordinator>;
}

/** Names of sessions that are remembered, to tell those that are gone from those that never were. */
const maxRemembered = 1000;

type Fate = 'made' | 'destroyed';

/** A server of MCP: what all of its clients share. */
export class Service {
  readonly host: SessionHost;
  readonly options: McpOptions;
  readonly log: Log;
  /** A session was made or destroyed here. */
  readonly sessionsChanged = new Emitter<void>();
  readonly #fates = new Recent<Fate>(maxRemembered);
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: SessionHost, options: McpOptions, log: Log) {
    this.host = host;
    this.options = options;
    this.log = log;
  }

  /** Runs one such operation after the other: what one counts, the next one finds. */
  oneAtATime<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(operation);
    this.#turn = result.catch(() => {});
    return result;
  }

  made(session: string): void {
    this.log('info', `made session ${session}`);
    this.#remember(session, 'made');
  }

  destroyed(session: string): void {
    this.log('info', `destroyed session ${session}`);
    this.#remember(session, 'destroyed');
  }

  /** What this server has done last with a session of that name; null for nothing. */
  fateOf(session: string): Fate | null {
    return this.#fates.get(session) ?? null;
  }

  #remember(session: string, fate: Fate): void {
    this.#fates.touch(session, fate);
    this.sessionsChanged.emit();
  }
}
