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
import { revivedNote } from '../starting/reviving.ts';
import type { LostSession, SavedBefore, SessionStore } from './session-save.ts';

/** A session that is restored. */
export interface Restored {
  readonly session: Session;
  readonly left: LeftSession;
  /** Null: nothing that is saved has the lines of the session that it continues. */
  readonly saved: SavedBefore | null;
  /** The sessions that it continues, whose lines it has now. */
  readonly continued: readonly Ended[];
}

/** A session that has ended, and that another one continues. */
export interface Ended {
  readonly id: string;
  /** Releases what its host keeps of it. */
  forget(): void;
}

export interface RestoringOptions {
  readonly factory: Pick<SessionFactory, 'before'>;
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
  /** The ended session that it continues, if that is left, too: the coordinator was killed within a revival. */
  readonly continues?: Left;
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
  all.sort((a, b) => a.left.facts.coordinator.order - b.left.facts.coordinator.order);
  return withContinued(all);
}

/** Joins sessions with those that they continue, which are listed no more: they would be started a second time. */
function withContinued(all: readonly Left[]): readonly Left[] {
  const hasExited = ({ left }: Left) => left.exit !== null;
  const byId = new Map(all.filter(hasExited).map((each) => [each.left.facts.id, each]));
  const before = ({ left }: Left) => byId.get(left.facts.coordinator.continues ?? '');
  const earlier = new Set(all.map(before));
  const join = (each: Left): Left => {
    const continues = before(each);
    return continues === undefined ? each : { ...each, continues: join(continues) };
  };
  return all.filter((each) => !earlier.has(each)).map(join);
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
    return new Unrestored(left, name, this.#options);
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
  readonly #options: Pick<RestoringOptions, 'factory' | 'onRestored'>;
  #live: Promise<Session> | null = null;

  constructor(left: Left, name: string, options: Pick<RestoringOptions, 'factory' | 'onRestored'>) {
    const { facts, exit, secrets } = left.left;
    this.name = name;
    this.id = facts.id;
    this.facts = facts;
    this.secrets = secrets;
    this.exitStatus = exit?.status ?? facts.exitStatus;
    this.#left = left;
    this.#options = options;
  }

  info(): SessionInfo {
    return { ...this.#left.left.info(), name: this.name };
  }

  live(): Promise<Session> {
    this.#live ??= this.#restore();
    return this.#live;
  }

  async #restore(): Promise<Session> {
    const { factory, onRestored } = this.#options;
    const restored = await restore(this.#left, factory, this.name);
    await restored.session.replayed;
    onRestored(this, restored);
    return restored.session;
  }
}

/** Restores a session, below the lines of the one that it continues if nothing that is saved has them. */
async function restore(
  { load, continues }: Left,
  factory: RestoringOptions['factory'],
  name?: string,
): Promise<Restored> {
  const left = load();
  const before =
    continues === undefined || left.hasState
      ? null
      : await beforeOf(continues, factory, left.facts.createdAtMs);
  const session = left.restore(before);
  if (name !== undefined && session.name !== name) session.name = name;
  // Before any output after the saved state.
  const saved = before === null ? savedOf(session, left) : null;
  return { session, left, saved, continued: endedOf(continues) };
}

/** @param atMs when the session began that continues it, in ms since 1970 */
async function beforeOf(ended: Left, factory: RestoringOptions['factory'], atMs: number) {
  const { session } = await restore(ended, factory);
  await session.replayed;
  const before = factory.before(session, revivedNote(atMs, session.info()));
  session.abandon();
  return before;
}

/** Returns a session and those that it continues. */
const endedOf = (left: Left | undefined): readonly Ended[] => {
  if (left === undefined) return [];
  const { facts, adopted } = left.left;
  return [{ id: facts.id, forget: () => adopted.pty.forget() }, ...endedOf(left.continues)];
};

function savedOf({ saving }: Session, { adopted: { saved } }: LeftSession): SavedBefore {
  const { state, segments } = saved;
  return {
    offset: state?.offset ?? 0,
    revision: saving?.revision ?? 0,
    linesEnd: state === null ? 0 : (saving?.linesEnd ?? 0),
    segments: segments.map(({ from, to }) => ({ from, to })),
  };
}
