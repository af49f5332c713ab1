import { type Coordinator, VtrError } from '#model';
import type { McpOptions } from './options.ts';
import { ReadPlaces } from './read-places.ts';
import type { SessionHost } from './session-host.ts';
import { UnreadBytes } from './termcp/unread-bytes.ts';

/** Names of removed sessions that are remembered, to tell them from those that never were. */
const maxDestroyed = 1000;

/** One client of the server, and what is kept for it between its calls. */
export class Caller {
  readonly host: SessionHost;
  readonly options: McpOptions;
  readonly places = new ReadPlaces();
  readonly unread = new UnreadBytes();
  readonly #destroyed = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: SessionHost, options: McpOptions) {
    this.host = host;
    this.options = options;
  }

  /** Who has the session, if anybody. @throws VtrError SESSION_NOT_FOUND, UNAVAILABLE */
  async coordinatorOf(session: string): Promise<Coordinator> {
    const coordinator = await this.host.reach();
    if (coordinator !== null) return coordinator;
    throw new VtrError('SESSION_NOT_FOUND', `there is no session ${JSON.stringify(session)}`);
  }

  /** Runs one such operation after the other: what one counts, the next one finds. */
  inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(operation);
    this.#turn = result.catch(() => {});
    return result;
  }

  destroyed(session: string): void {
    if (this.#destroyed.size < maxDestroyed) this.#destroyed.add(session);
  }

  hasDestroyed(session: string): boolean {
    return this.#destroyed.has(session);
  }
}
