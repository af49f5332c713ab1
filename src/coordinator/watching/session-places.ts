import { type Clock, defined } from '#base';
import { type ActivityEvidence, noEvidence, type SessionActivity } from '#model';
import type { Session } from '#session';
import { inTime } from '../listing.ts';
import type { Registry, UnrestoredSession } from '../registry.ts';

/** The longest wait for the branch of a session's directory, in ms: its file system may not answer. */
const maxBranchMs = 250;

/** Returns the branch of git that is checked out in a directory; null if there is none. Never fails. */
export type BranchOf = (directory: string) => Promise<string | null>;

export interface SessionPlacesOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  /** Default: no branches are found. */
  readonly branchOf?: BranchOf;
  /** Saves a session, of which {@link SessionPlaces.saved} has changed: at its end at once, else within a second. */
  readonly save: (session: Session) => void;
}

/** The evidence for the activity of a program that has ended, without its terminal. */
const unknown: ActivityEvidence = { ...noEvidence, alsoWaits: false };

/** A directory, and the branch that is checked out there. */
type Place = Pick<SessionActivity, 'branch'> & { readonly directory: string };

interface Ahead {
  readonly directory: string;
  /** Undefined if it is not found in time. */
  readonly branch: Promise<string | null | undefined>;
}

/**
 * Where the programs of sessions work: in which directory, and on which branch of git. After the end of a program, the
 * last place that was known.
 */
export class SessionPlaces {
  readonly #options: SessionPlacesOptions;
  /** By the id of the session, which stays when the session is restored. */
  readonly #last = new Map<string, Place>();
  /** Sessions that have begun or ended, and whose branch is being found. */
  readonly #finding = new Map<string, Promise<void>>();

  /** Branches that are looked for ahead, by the id of the session. */
  readonly #ahead = new Map<string, Ahead>();

  constructor(options: SessionPlacesOptions) {
    this.#options = options;
    options.registry.onChange(({ type, session }) => {
      if (type === 'removed') this.#forget(session.id);
      else if (!('live' in session) && isHere(session)) this.#begin(session);
    });
  }

  /**
   * Begins to look for the branch where a program was last, for {@link added}: while its activity is asked for, which
   * tells the directory where it is now.
   */
  lookAhead(session: Session): void {
    const directory = this.#last.get(session.id)?.directory;
    if (directory === undefined || session.exitStatus !== null || !isHere(session)) return;
    this.#ahead.set(session.id, { directory, branch: this.#branchOf(directory) });
  }

  /** Returns the activity of a session with the branch of its directory, if that is found in time. */
  async added(session: Session, activity: SessionActivity | null): Promise<SessionActivity | null> {
    const ahead = this.#ahead.get(session.id);
    this.#ahead.delete(session.id);
    if (activity === null || !isHere(session)) return activity;
    if (activity.state === 'exited') {
      await this.#finding.get(session.id);
      return { ...activity, ...this.#last.get(session.id) };
    }
    const { directory } = activity;
    if (directory === null) return activity;
    const isThere = ahead?.directory === directory;
    const branch = await (isThere ? ahead.branch : this.#branchOf(directory));
    // A file system that does not answer says nothing.
    if (branch !== undefined) this.#note(session, { directory, ...defined({ branch }) });
    return { ...activity, ...defined({ branch }) };
  }

  /** Returns what is known of the activity of a session that is not restored yet; null if its program may run. */
  ofEnded({ facts, exitStatus }: UnrestoredSession): SessionActivity | null {
    const place = placeFrom(facts.coordinator.place);
    if (exitStatus === null || place === null) return null;
    const { exitedAtMs, createdAtMs, revision } = facts;
    const sinceMs = exitedAtMs ?? createdAtMs;
    return { state: 'exited', evidence: unknown, sinceMs, revision, command: null, ...place };
  }

  /** As it is saved; undefined before it is known. */
  saved({ id }: Session): Place | undefined {
    return this.#last.get(id);
  }

  /** Resolves when the places of all sessions that have ended are known, as far as they become known in time. */
  async settled(): Promise<void> {
    await Promise.all(this.#finding.values());
  }

  #begin(session: Session): void {
    const { id, facts } = session;
    const place = this.#last.get(id) ?? placeFrom(facts.coordinator.place);
    if (place !== null) this.#last.set(id, place);
    if (session.exitStatus !== null) return;
    // The call that has started it is answered first: each look takes other threads.
    if (place === null) this.#find(session, this.#afterPendingIo());
    session.view.onEvent(({ type }) => {
      if (type === 'exit') this.#find(session);
    });
  }

  #afterPendingIo(): Promise<void> {
    return new Promise((resolve) => this.#options.clock.afterPendingIo(resolve));
  }

  /** Finds the branch without asking the system where the program is: the last directory that is known. */
  #find(session: Session, begins: Promise<void> | null = null): void {
    const { id, facts, lastDirectory } = session;
    const directory = lastDirectory ?? this.#last.get(id)?.directory ?? facts.cwd;
    const look = () => this.#branchOf(directory);
    const looking = begins === null ? look() : begins.then(look);
    const finding = looking.then((branch) => {
      if (branch !== undefined) this.#note(session, { directory, ...defined({ branch }) });
      if (this.#finding.get(id) === finding) this.#finding.delete(id);
    });
    this.#finding.set(id, finding);
  }

  #forget(id: string): void {
    this.#last.delete(id);
    this.#ahead.delete(id);
  }

  #note(session: Session, place: Place): void {
    const { registry, save } = this.#options;
    const before = this.#last.get(session.id);
    if (before?.directory === place.directory && before.branch === place.branch) return;
    if (registry.withId(session.id) !== session) return;
    this.#last.set(session.id, place);
    save(session);
  }

  /** Returns null if there is none; undefined if it was not found in time. */
  async #branchOf(directory: string): Promise<string | null | undefined> {
    const { branchOf, clock } = this.#options;
    if (branchOf === undefined) return null;
    const answer = branchOf(directory).then((branch) => ({ branch }));
    return (await inTime(answer, maxBranchMs, clock))?.branch;
  }
}

/** The directory of a published session may be on another machine. */
const isHere = ({ facts }: Session): boolean => facts.fedBy === undefined;

/** @param saved not checked */
function placeFrom(saved: unknown): Place | null {
  const { directory, branch } = (saved ?? {}) as Partial<Record<keyof Place, unknown>>;
  if (typeof directory !== 'string') return null;
  return { directory, ...(typeof branch === 'string' ? { branch } : {}) };
}
