import type { Clock } from '#base';
import { type ExitStatus, hungUp, type SessionInfo } from '#model';
import {
  encodeFacts,
  type KnownSecrets,
  type LeftSession,
  LostPty,
  nothingLearned,
  type Saved,
  type Session,
  type SessionFactory,
  type SessionFacts,
} from '#session';
import type { UnrestoredSession } from '../registry.ts';
import type { LostSession, SavedBefore, SessionStore } from './session-save.ts';

/** A session that is restored. */
export interface Restored {
  readonly session: Session;
  readonly left: LeftSession;
  readonly saved: SavedBefore;
}

export interface RestoringOptions {
  readonly clock: Clock;
  /** Called when a session has all output that was kept for it; takes the place of `unrestored`. */
  readonly onRestored: (unrestored: UnrestoredSession, restored: Restored) => void;
  /** Called for each session that could not be restored in the background. */
  readonly onFault: (error: unknown) => void;
}

/** A session that another coordinator left, as far as it is known without its terminal. */
export interface Left {
  readonly left: LeftSession;
  /** Returns the same with all that is saved of it, which may be read from a disk. */
  readonly load: () => LeftSession;
  /** Whether its program and the program's host have ended. */
  readonly isLost: boolean;
}

/**
 * Returns the names of sessions: NAME-2, NAME-3 and so on for those whose name another one has. That is
 * possible if a coordinator was killed while one session took the place of another, and if a host was
 * not found for a time. Running sessions have precedence, then older ones.
 *
 * @param sessions oldest first
 * @param isTaken whether a name is in use already
 */
export function namesOf(
  sessions: readonly Left[],
  isTaken: (name: string) => boolean,
): Map<Left, string> {
  const isRunning = ({ left }: Left) => left.exit === null && left.facts.exitStatus === null;
  const running = sessions.filter(isRunning);
  const ended = sessions.filter((each) => !isRunning(each));
  const own = new Set(sessions.map(({ left }) => left.facts.name));
  const names = new Map<Left, string>();
  const used = new Set<string>();
  for (const each of [...running, ...ended]) {
    const { name } = each.left.facts;
    const isFree = !used.has(name) && !isTaken(name);
    const newName = isFree ? name : freeName(name, (other) => own.has(other) || isTaken(other));
    used.add(newName);
    own.add(newName);
    names.set(each, newName);
  }
  return names;
}

function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const ending = `-${number}`;
    const free = `${name.slice(0, maxNameLength - ending.length)}${ending}`;
    if (!isTaken(free)) return free;
  }
}

/** The limit of `checkSessionName`. */
const maxNameLength = 64;

/** Returns the sessions that other coordinators left, oldest first: also those whose host is gone. */
export async function leftSessions(
  factory: Pick<SessionFactory, 'adopt' | 'left'>,
  store: SessionStore | null,
  onFault: (error: unknown) => void,
): Promise<readonly Left[]> {
  const leftSessions = await factory.adopt();
  const ids = new Set(leftSessions.map(({ facts }) => facts.id));
  const { sessions = [] } = (await store?.lost(ids)) ?? {};
  const lost = sessions.flatMap((each) => lostSession(factory, each) ?? []);
  for (const { left } of lost) {
    if (left.facts.exitStatus === null && left.facts.endedBy?.reason === 'host_lost') {
      left.adopted.pty.endLeft?.(left.facts.id).catch(onFault);
    }
    if (store !== null) saveEnd(store, left);
  }
  const all = [...leftSessions.map((left) => ({ left, load: () => left, isLost: false })), ...lost];
  return all.sort((a, b) => a.left.facts.coordinator.order - b.left.facts.coordinator.order);
}

/** Returns null if its facts cannot be read. */
function lostSession(factory: Pick<SessionFactory, 'left'>, lost: LostSession): Left | null {
  const { facts, savedAtMs } = lost;
  const leftOf = (saved: Saved) => {
    const pty = new LostPty({ offset: saved.state?.offset ?? 0, exitedAtMs: savedAtMs });
    const offset = saved.state?.offset ?? 0;
    const adopted = {
      pty,
      saved,
      answeredTo: Number.POSITIVE_INFINITY,
      outputEnd: offset,
      lastEnterAt: 0,
    };
    const secrets: readonly string[] = [];
    const exited = { status: hungUp, atMs: savedAtMs };
    return factory.left(
      { ...adopted, exited, replayed: Promise.resolve(), secrets, learned: nothingLearned },
      { endedBy: { reason: lost.endedBy }, isPartial: !lost.isWhole },
    );
  };
  const left = leftOf({ facts, state: null, segments: [] });
  return left && { left, load: () => leftOf(lost.load()) ?? left, isLost: true };
}

/** Saves why a lost session ended: later it could be for another reason, such as a reboot. */
function saveEnd(store: SessionStore, { facts, exit }: LeftSession): void {
  if (facts.exitStatus === null && exit !== null) {
    const ended = { ...facts, exitStatus: exit.status, exitedAtMs: exit.atMs };
    store.save(facts.id, { facts: encodeFacts(ended) });
  }
  store.exited(facts.id);
}

/** How many sessions are restored at once: while one waits for its output, others are made. */
const concurrent = 4;

/**
 * The sessions that another coordinator left. Each is restored when it is used, and in the background,
 * those with unread output first. Lost ones, of which there may be many that nobody uses any more, are
 * restored in the background only if they must be removed some day.
 */
export class Restoring {
  readonly #options: RestoringOptions;

  constructor(options: RestoringOptions) {
    this.#options = options;
  }

  unrestored(left: Left, name: string): UnrestoredSession {
    return new Unrestored(left, name, this.#options.onRestored);
  }

  /** Restores sessions one after the other, in turns of the event loop. */
  async restoreAll(
    sessions: readonly { readonly left: Left; readonly session: UnrestoredSession }[],
  ) {
    const toRestore = sessions.filter(({ left: { left, isLost } }) => {
      return !isLost || left.facts.lifetime?.keepExitedMs !== undefined;
    });
    const order = toRestore.sort((a, b) => b.left.left.unreadBytes - a.left.left.unreadBytes);
    const restoreNext = async (): Promise<void> => {
      for (let next = order.shift(); next !== undefined; next = order.shift()) {
        await next.session.live().catch(this.#options.onFault);
        await this.#nextTurn();
      }
    };
    await Promise.all(Array.from({ length: concurrent }, restoreNext));
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#options.clock.afterPendingIo(resolve));
  }
}

class Unrestored implements UnrestoredSession {
  readonly name: string;
  readonly id: string;
  readonly facts: SessionFacts;
  readonly secrets: KnownSecrets;
  readonly exitStatus: ExitStatus | null;
  readonly #left: Left;
  readonly #onRestored: RestoringOptions['onRestored'];
  #live: Promise<Session> | null = null;

  constructor(left: Left, name: string, onRestored: RestoringOptions['onRestored']) {
    const { facts, exit, secrets } = left.left;
    this.name = name;
    this.id = facts.id;
    this.facts = facts;
    this.secrets = secrets;
    this.exitStatus = exit?.status ?? facts.exitStatus;
    this.#left = left;
    this.#onRestored = onRestored;
  }

  info(): SessionInfo {
    return { ...this.#left.left.info(), name: this.name };
  }

  live(): Promise<Session> {
    this.#live ??= this.#restore();
    return this.#live;
  }

  async #restore(): Promise<Session> {
    const left = this.#left.load();
    const session = left.restore();
    if (session.name !== this.name) session.name = this.name;
    const { saving } = session;
    const { state, segments } = left.adopted.saved;
    // Before any output after the saved state.
    const saved = {
      offset: state?.offset ?? 0,
      revision: saving?.revision ?? 0,
      linesEnd: state === null ? 0 : (saving?.linesEnd ?? 0),
      segments: segments.map(({ from, to }) => ({ from, to })),
    };
    await session.replayed;
    this.#onRestored(this, { session, left, saved });
    return session;
  }
}
