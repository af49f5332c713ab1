import { beginWork, type Clock, type Disposable, defined, endWork } from '#base';
import { flow } from '#model';
import type { CoordinatorFacts, Session } from '#session';
import { type SavedBefore, SessionSave, type SessionStore } from './session-save.ts';

export interface SaverOptions {
  readonly clock: Clock;
  /** In addition to the PTY host. */
  readonly store: Pick<SessionStore, 'save' | 'exited' | 'onGone'> | null;
  /** Called with the error of a session that could not be saved. */
  readonly onFault: (error: unknown) => void;
}

/** The part of a session that is saved. */
export type SavableSession = Pick<Session, 'id' | 'name' | 'exitStatus' | 'saving'>;

export interface Saving {
  /** Returns the coordinator's part of the facts. */
  readonly own: () => CoordinatorFacts;
  /** Whether the store gets it, too. */
  readonly isStored: boolean;
  /** What is saved already. */
  readonly saved?: SavedBefore;
}

interface Entry extends Disposable {
  readonly session: SavableSession;
  readonly save: SessionSave;
  /** Saves the facts in the PTY host only. */
  readonly saveInHost: () => void;
  readonly isStored: boolean;
  /** Saves the first change since the last save, within {@link saveMs}. */
  timer: Disposable | null;
  /** The end of the output when the timer began. */
  fromOffset: number;
  /** Its lines are collected although it floods, and it is paused meanwhile. */
  isForced: boolean;
  /** It began with lines that are in no output, so the host has them only once a state is saved. */
  hasEarlierLines: boolean;
  /** Called once, when a state is saved. */
  whenSaved: (() => void) | null;
}

const {
  saveMs,
  stepMs,
  floodBytes,
  stateBytes,
  maxUnsavedBytes,
  maxAllUnsavedBytes,
  turnMs,
  linesPauseMs,
} = flow.saving;

/**
 * Saves sessions for the next coordinator: not in the path of their output, but in turns of its own
 * that are short.
 */
export class Saver {
  readonly #options: SaverOptions;
  readonly #entries = new Map<string, Entry>();
  /** Sessions whose state is taken in the next turns, then those whose lines are collected. */
  readonly #states = new Set<Entry>();
  readonly #lines = new Set<Entry>();
  #turn: Disposable | null = null;

  constructor(options: SaverOptions) {
    this.#options = options;
    options.store?.onGone((id) => this.#saveAgain(id));
  }

  /** Saves a session from now on, if it can outlive this coordinator. */
  begin(session: SavableSession, { own, isStored, saved }: Saving): void {
    const { saving } = session;
    if (saving === null) return;
    const store = isStored ? this.#options.store : null;
    const storedFacts = () => ({ facts: saving.storedFacts(own()) });
    const save = new SessionSave({
      session: saving,
      facts: () => saving.facts(own()),
      save: (change) => {
        saving.save(change);
        store?.save(session.id, { ...change, ...(change.facts && storedFacts()) });
        if (change.state === undefined || entry.whenSaved === null) return;
        const { whenSaved } = entry;
        entry.whenSaved = null;
        whenSaved();
      },
      ...defined({ saved }),
    });
    const changes = saving.onChange((what) => this.#changed(session.id, what));
    const drops = saving.onSavedDropped((fromLine) => save.dropped(fromLine));
    const entry: Entry = {
      session,
      save,
      isStored,
      timer: null,
      fromOffset: saving.outputEnd,
      isForced: false,
      hasEarlierLines: false,
      whenSaved: null,
      saveInHost: () => saving.save({ facts: saving.facts(own()) }),
      dispose: () => {
        changes.dispose();
        drops.dispose();
        entry.timer?.dispose();
        this.#states.delete(entry);
        this.#lines.delete(entry);
      },
    };
    this.#entries.set(session.id, entry);
    if (saved !== undefined) return;
    // The host has had the facts since the start.
    store?.save(session.id, storedFacts());
    // Without a state, output would seem to be missing of a session that prints nothing.
    this.#startTimer(entry);
  }

  saveFacts(session: SavableSession): void {
    const entry = this.#entries.get(session.id);
    if (entry !== undefined) this.#try(() => entry.save.saveFacts());
  }

  /**
   * Saves the facts of a session whose program runs: at once in the PTY host, for the next coordinator, which
   * continues the program; within a second in the store, which is read once the program has ended.
   */
  saveWhileRunning(session: SavableSession): void {
    const entry = this.#entries.get(session.id);
    if (entry === undefined) return;
    this.#try(() => entry.saveInHost());
    this.#startTimer(entry);
  }

  /**
   * Saves the facts at once, and soon the state and the lines that are in no output.
   *
   * @param whenSaved called when host and store have them; at once for a session that is not saved
   */
  saveWithLines(session: SavableSession, whenSaved: () => void): void {
    const entry = this.#entries.get(session.id);
    if (entry === undefined) {
      whenSaved();
      return;
    }
    entry.hasEarlierLines = true;
    entry.whenSaved = whenSaved;
    this.#try(() => entry.save.saveFacts());
    this.saveSoon(session);
  }

  /** Saves the state and the lines above its screen, in the next turns. */
  saveSoon(session: SavableSession): void {
    const entry = this.#entries.get(session.id);
    if (entry === undefined) return;
    this.#lines.add(entry);
    this.#takeSoon(entry);
  }

  /** Saves the facts within a second. */
  touch(session: SavableSession): void {
    const entry = this.#entries.get(session.id);
    if (entry !== undefined) this.#startTimer(entry);
  }

  /**
   * Ends the saving of a session.
   *
   * @returns what was to be called when it was saved with its lines
   */
  end(session: SavableSession): (() => void) | null {
    const entry = this.#entries.get(session.id);
    this.#entries.delete(session.id);
    if (entry === undefined) return null;
    if (entry.isForced) session.saving?.resume();
    entry.dispose();
    return entry.whenSaved;
  }

  /**
   * Saves all sessions as far as that needs no lines: the host keeps the output of the others. Lines that are in no
   * output are saved, too.
   */
  saveAll(): void {
    for (const { save, hasEarlierLines } of this.#entries.values()) {
      this.#try(() => {
        save.take();
        while (hasEarlierLines && !save.hasState && !save.collect());
      });
    }
  }

  close(): void {
    for (const { session } of [...this.#entries.values()]) this.end(session);
    this.#turn?.dispose();
    this.#turn = null;
  }

  #changed(id: string, what: 'facts' | 'state'): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (what === 'facts') this.#factsChanged(entry);
    else this.#stateChanged(entry);
  }

  /** Saves the facts at once: the call that changed them has not returned yet. */
  /** Saves all of a session, also what was saved before. */
  #saveAgain(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.save.forget();
    this.#lines.add(entry);
    this.#takeSoon(entry);
  }

  #factsChanged(entry: Entry): void {
    this.#try(() => entry.save.saveFacts());
    if (entry.session.exitStatus === null) return;
    if (entry.isStored) this.#options.store?.exited(entry.session.id);
    this.#takeSoon(entry);
  }

  #stateChanged(entry: Entry): void {
    this.#startTimer(entry);
    if (entry.save.untakenBytes >= stateBytes) this.#takeSoon(entry);
  }

  #startTimer(entry: Entry): void {
    if (entry.timer !== null) return;
    entry.fromOffset = entry.session.saving?.outputEnd ?? 0;
    const { clock } = this.#options;
    const dueMs = Math.floor((clock.nowMs() + saveMs) / stepMs) * stepMs;
    entry.timer = clock.schedule(dueMs - clock.nowMs(), () => {
      entry.timer = null;
      this.#takeSoon(entry);
      if (this.#floods(entry)) this.#startTimer(entry);
      else this.#lines.add(entry);
    });
  }

  #floods({ session, fromOffset }: Entry): boolean {
    return (session.saving?.outputEnd ?? 0) - fromOffset > floodBytes;
  }

  #takeSoon(entry: Entry): void {
    this.#states.add(entry);
    if (entry.session.exitStatus !== null) this.#lines.add(entry);
    this.#turnSoon();
  }

  #turnSoon(): void {
    const { clock } = this.#options;
    this.#turn ??= clock.afterPendingIo(() => this.#takeTurn());
  }

  #takeTurn(): void {
    const { clock } = this.#options;
    this.#turn = null;
    const endMs = clock.nowMs() + turnMs;
    for (const entry of this.#states) {
      this.#states.delete(entry);
      this.#take(entry);
      if (clock.nowMs() >= endMs) break;
    }
    if (this.#states.size === 0) this.#collect();
    if (this.#states.size > 0 || this.#forced !== undefined) this.#turnSoon();
    else if (this.#lines.size > 0) {
      this.#turn = clock.schedule(linesPauseMs, () => this.#takeTurn());
    }
  }

  #take(entry: Entry): void {
    this.#work(entry, () => entry.save.take());
    const most = this.#most(entry);
    if (most === null || most.isForced || !most.save.needsLines) return;
    most.isForced = true;
    most.session.saving?.pause();
    this.#try(() => most.save.take());
    this.#lines.add(most);
  }

  /** Returns the session whose output must be saved before the host stops programs; null if none. */
  #most(entry: Entry): Entry | null {
    if (entry.save.unsavedBytes >= maxUnsavedBytes) return entry;
    let most = entry;
    let sum = 0;
    for (const each of this.#entries.values()) {
      sum += each.save.unsavedBytes;
      if (each.save.unsavedBytes > most.save.unsavedBytes) most = each;
    }
    return sum > maxAllUnsavedBytes ? most : null;
  }

  get #forced(): Entry | undefined {
    for (const entry of this.#lines) if (entry.isForced) return entry;
    return undefined;
  }

  /** Collects some lines of a session, of each in turn. */
  #collect(): void {
    const [next] = this.#lines;
    const entry = this.#forced ?? next;
    if (entry === undefined) return;
    this.#lines.delete(entry);
    let isDone = true;
    this.#work(entry, () => {
      isDone = entry.save.collect();
    });
    if (!isDone) this.#lines.add(entry);
    else if (entry.isForced) {
      entry.isForced = false;
      entry.session.saving?.resume();
    }
  }

  #work({ session }: Entry, step: () => void): void {
    beginWork('save', session.name);
    this.#try(step);
    endWork();
  }

  /** A session that cannot be saved must not affect others. */
  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#options.onFault(error);
    }
  }
}
