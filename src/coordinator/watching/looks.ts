import { type Clock, type Disposable, defined, toDisposable } from '#base';
import type { AgentInfo } from '#model';
import type { Session } from '#session';
import type { Registered, Registry } from '../registry.ts';

export interface LooksOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  /** Saves a session, of which {@link Looks.saved} has changed. */
  readonly save: (session: Session) => void;
  /** Called with the id of a session that a person begins to look at. */
  readonly onLook: (id: string) => void;
}

/** The looks at one session. */
interface Looked {
  /** How many persons look now. */
  count: number;
  /** In ms since 1970; null if nobody has looked. */
  lastMs: number | null;
  /** Whether the agent has ended a turn that nobody has seen. */
  isUnseen: boolean;
  /** The turns that its agent had ended when it last changed; null while there is no agent. */
  turn: number | null;
  /** When a person last chose for what the session is watched, in ms since 1970; null if nobody has. */
  watchedMs: number | null;
  /** When it first printed since somebody looked, as far as that was asked for, in ms since 1970; null if unknown. */
  unseenMs: number | null;
}

/** What persons have seen of a session. */
export interface Seen {
  /** Whether a person looks now. */
  readonly isSeen: boolean;
  /** When a person last looked, in ms since 1970; 0 if nobody has. */
  readonly seenMs: number;
  /** When a person last chose for what it is watched, in ms since 1970; 0 if nobody has. */
  readonly watchedMs: number;
}

/**
 * When persons have looked at the sessions, and at which of them a coding agent is done: it has ended a turn, and
 * nobody has looked since. Also when they chose for what a session is watched.
 */
export class Looks {
  readonly #options: LooksOptions;
  /** By the id of the session, which stays when the session is restored. */
  readonly #looked = new Map<string, Looked>();

  constructor(options: LooksOptions) {
    this.#options = options;
    options.registry.onChange(({ type, session }) => {
      if (type === 'removed') this.#looked.delete(session.id);
    });
  }

  /** Continues with the looks at a session of another coordinator. */
  restore({ id }: Session, saved: unknown): void {
    const { lastMs, isUnseen, watchedMs } = (saved ?? {}) as Partial<Looked>;
    const looked = this.#of(id);
    if (typeof lastMs === 'number') looked.lastMs ??= lastMs;
    if (typeof watchedMs === 'number') looked.watchedMs ??= watchedMs;
    // Somebody may look already.
    if (isUnseen === true && looked.count === 0) looked.isUnseen = true;
  }

  /** As it is saved; undefined before anyone looked and before an agent was done. */
  saved({ id }: Registered): Pick<Looked, 'lastMs' | 'isUnseen'> | undefined {
    const looked = this.#looked.get(id);
    if (looked === undefined || (looked.lastMs === null && !looked.isUnseen)) return undefined;
    const { lastMs, isUnseen, watchedMs } = looked;
    return { lastMs, isUnseen, ...defined({ watchedMs }) };
  }

  /** A person chooses for what a session is watched: what it has printed until now is known. */
  watch(id: string): void {
    const looked = this.#of(id);
    looked.watchedMs = this.#options.clock.wallMs();
    this.#look(id, looked);
  }

  of(id: string): Seen {
    const { count = 0, lastMs, watchedMs } = this.#looked.get(id) ?? {};
    return { isSeen: count > 0, seenMs: lastMs ?? 0, watchedMs: watchedMs ?? 0 };
  }

  /**
   * Returns when the session first printed since somebody looked, in ms since 1970: the time of the first call since
   * then, so that the beginning stays while the program prints.
   */
  unseenSince(id: string, atMs: number): number {
    const looked = this.#of(id);
    looked.unseenMs ??= atMs;
    return looked.unseenMs;
  }

  /** A person looks at a session, until the result is disposed. */
  begin(id: string): Disposable {
    const looked = this.#of(id);
    looked.count++;
    this.#look(id, looked);
    this.#options.onLook(id);
    return toDisposable(() => {
      looked.count--;
      this.#look(id, looked);
    });
  }

  /** Must be called when the agent of a session has changed. @param agent null if it has none now */
  agentChanged(id: string, agent: AgentInfo | null): void {
    const looked = this.#of(id);
    const { turn, isUnseen } = looked;
    looked.turn = agent?.turn ?? null;
    if (agent === null || agent.state === 'busy') looked.isUnseen = false;
    else if (turn !== null && agent.turn > turn && looked.count === 0) looked.isUnseen = true;
    if (looked.isUnseen !== isUnseen) this.#save(id);
  }

  /** Returns an agent with `done`, as far as it is. */
  withDone({ id }: Registered, agent: AgentInfo | null): AgentInfo | null {
    if (agent?.state !== 'idle' || this.#looked.get(id)?.isUnseen !== true) return agent;
    return { ...agent, done: true };
  }

  #of(id: string): Looked {
    const look = this.#looked.get(id);
    if (look !== undefined) return look;
    const looked = {
      count: 0,
      lastMs: null,
      isUnseen: false,
      turn: null,
      watchedMs: null,
      unseenMs: null,
    };
    this.#looked.set(id, looked);
    return looked;
  }

  #look(id: string, looked: Looked): void {
    looked.lastMs = this.#options.clock.wallMs();
    looked.isUnseen = false;
    looked.unseenMs = null;
    this.#save(id);
  }

  #save(id: string): void {
    const session = this.#options.registry.withId(id);
    if (session !== null && !('live' in session)) this.#options.save(session);
  }
}
