import { type EndReason, flow, type Persistence } from '#model';
import type { Saved, SavedChange, SavedState, Segment, SessionSaving } from '#session';

/** The part of {@link SessionSaving} that reads and saves. */
export type SavedSession = Omit<
  SessionSaving,
  'facts' | 'storedFacts' | 'onChange' | 'onSavedDropped'
>;

export interface SessionSaveParts {
  readonly session: SavedSession;
  /** Returns the facts of now. */
  readonly facts: () => Uint8Array;
  readonly save: (change: SavedChange) => void;
  /** What is saved already; `revision` and `linesEnd` are those of the saved state. */
  readonly saved?: SavedBefore;
}

export interface SavedBefore {
  readonly offset: number;
  readonly revision: number;
  readonly linesEnd: number;
  readonly segments: readonly Pick<Segment, 'from' | 'to'>[];
}

/** A state that is not saved yet: lines above its screen may be missing. */
interface Candidate {
  readonly state: SavedState;
  readonly linesEnd: number;
  readonly revision: number;
}

interface Range {
  readonly from: number;
  readonly to: number;
  /** More lines would not have been made at once; such segments are never merged. */
  readonly isFull: boolean;
}

/** Lines that are collected for a candidate. */
interface Collection {
  readonly candidate: Candidate;
  readonly replaceFrom: number;
  /** The segments before `replaceFrom`. */
  readonly before: readonly Range[];
  readonly segments: (Segment & Range)[];
  /** The next line. */
  at: number;
}

const { sliceBytes, maxStates } = flow.saving;

/**
 * What is saved of one session. A state is saved when all lines above its screen are in segments or
 * were dropped by the scrollback's limit. State and lines are saved in one change, so there is always
 * a state from which the session can be continued.
 */
export class SessionSave {
  readonly #parts: SessionSaveParts;
  readonly #session: SavedSession;
  /** Whether a state is saved. */
  hasState: boolean;
  #savedOffset: number;
  #savedRevision: number;
  /** Saved lines before this one are as in the terminal at {@link #savedRevision}. */
  #validTo: number;
  #segments: readonly Range[];
  /** Oldest first. */
  #candidates: Candidate[] = [];
  #collection: Collection | null = null;

  constructor(parts: SessionSaveParts) {
    const { saved } = parts;
    this.#parts = parts;
    this.#session = parts.session;
    this.hasState = saved !== undefined;
    this.#savedOffset = saved?.offset ?? 0;
    this.#savedRevision = saved?.revision ?? 0;
    this.#validTo = saved?.linesEnd ?? 0;
    this.#segments = (saved?.segments ?? []).map((each) => ({ ...each, isFull: true }));
  }

  /** Output that the host must keep, in bytes. */
  get unsavedBytes(): number {
    return this.#session.outputEnd - this.#savedOffset;
  }

  /** Output since the newest state was taken, in bytes. */
  get untakenBytes(): number {
    const offset = this.#candidates.at(-1)?.state.offset ?? this.#savedOffset;
    return this.#session.outputEnd - offset;
  }

  /** Whether lines must be collected before the newest state can be saved. */
  get needsLines(): boolean {
    return this.#candidates.length > 0;
  }

  saveFacts(): void {
    this.#parts.save({ facts: this.#parts.facts() });
  }

  /** Takes the state of now, and saves the newest that is complete; else only the facts. */
  take(): void {
    if (this.#session.isBusy) {
      this.saveFacts();
      return;
    }
    const { linesEnd, revision } = this.#session;
    this.#candidates.push({ state: this.#session.state(), linesEnd, revision });
    if (this.#candidates.length > maxStates) this.#candidates.splice(1, 1);
    const complete = this.#candidates.findLast((each) => this.#isComplete(each));
    if (complete === undefined) this.saveFacts();
    else this.#pass(complete, {}, this.#segments);
  }

  /**
   * Collects some lines of the newest state; the last of them also saves it.
   *
   * @returns whether there are no more lines to collect
   */
  collect(): boolean {
    this.#dropStale();
    this.#collection ??= this.#begin();
    const collection = this.#collection;
    if (collection === null) return true;
    const { candidate, segments, replaceFrom, before } = collection;
    const { firstLine } = this.#session;
    const at = Math.max(collection.at, firstLine);
    if (at < candidate.linesEnd) {
      const lines = this.#session.lines(at, candidate.linesEnd, sliceBytes);
      const isFull = lines.to < candidate.linesEnd;
      if (lines.to > lines.from) segments.push({ ...lines, isFull });
      collection.at = Math.max(lines.to, at + 1);
      if (collection.at < candidate.linesEnd) return false;
    }
    this.#collection = null;
    const added = segments.filter(({ to }) => to > firstLine);
    const change = { replaceFrom, segments: added.map(({ isFull: _, ...segment }) => segment) };
    this.#pass(candidate, change, [
      ...before,
      ...added.map(({ from, to, isFull }) => ({ from, to, isFull })),
    ]);
    return true;
  }

  /** What was saved is lost: all lines are collected again. */
  forget(): void {
    this.#validTo = 0;
    this.#candidates = [];
    this.#collection = null;
  }

  /** The host dropped segments that end at or before a line. */
  dropped(fromLine: number): void {
    this.#segments = this.#segments.filter(({ to }) => to > fromLine);
  }

  #begin(): Collection | null {
    const candidate = this.#candidates.at(-1);
    if (candidate === undefined) return null;
    const { firstLine } = this.#session;
    const valid = this.#valid();
    const intact = this.#segments.filter(({ to }) => to <= valid);
    let at = Math.max(firstLine, intact.at(-1)?.to ?? 0);
    // Small segments are merged in pairs of about equal size, so a line is written a few times at most.
    for (let last = intact.at(-1); last !== undefined; last = intact.at(-1)) {
      if (last.isFull || last.to - last.from >= 2 * (candidate.linesEnd - at)) break;
      intact.pop();
      at = Math.max(firstLine, last.from);
    }
    const replaceFrom = this.#segments[intact.length]?.from ?? Number.POSITIVE_INFINITY;
    return { candidate, replaceFrom, before: intact, segments: [], at };
  }

  /** Forgets states whose lines have changed since: their old lines can no longer be collected. */
  #dropStale(): void {
    const { firstLine } = this.#session;
    const isStale = ({ linesEnd, revision }: Candidate) =>
      linesEnd > firstLine && this.#session.returnedFrom(revision) < linesEnd;
    this.#candidates = this.#candidates.filter((each) => !isStale(each));
    const collected = this.#collection?.candidate;
    if (collected !== undefined && !this.#candidates.includes(collected)) this.#collection = null;
  }

  #isComplete({ linesEnd, revision }: Candidate): boolean {
    const { firstLine } = this.#session;
    if (linesEnd <= firstLine) return true;
    if (this.#session.returnedFrom(revision) < linesEnd) return false;
    return linesEnd <= this.#valid();
  }

  /** Returns the line before which the saved lines are as in the terminal. */
  #valid(): number {
    return Math.min(this.#validTo, this.#session.returnedFrom(this.#savedRevision));
  }

  #pass(candidate: Candidate, lines: SavedChange, segments: readonly Range[]): void {
    const { firstLine } = this.#session;
    const { state, linesEnd, revision } = candidate;
    this.#parts.save({ facts: this.#parts.facts(), state, firstLine, ...lines });
    this.hasState = true;
    this.#savedOffset = state.offset;
    this.#savedRevision = revision;
    this.#validTo = linesEnd;
    this.#segments = segments.filter(({ to }) => to > firstLine);
    this.#candidates = this.#candidates.slice(this.#candidates.indexOf(candidate) + 1);
    if (!this.#candidates.some((each) => each === this.#collection?.candidate)) {
      this.#collection = null;
    }
  }
}

/** Keeps saved sessions where they survive the process that owns their pseudo-terminals. */
export interface SessionStore {
  readonly state: Persistence;
  /**
   * Saves a change, in the order of the calls; also what a host has saved already.
   *
   * @param afterMs earliest start of the write, if none of the session waits already; default: soon
   */
  save(id: string, change: SavedChange, afterMs?: number): void;
  /** Calls a function with each session whose files another program has removed: all of it must be saved again. */
  onGone(listener: (id: string) => void): void;
  /** The program of a session has exited: it may be dropped first if space is short. */
  exited(id: string): void;
  /**
   * Removes a session's files.
   *
   * @param after the id of a session that continues it: once that is written as it is now
   */
  remove(id: string, after?: string): void;
  /**
   * Returns the saved sessions whose programs no host has any more, oldest first.
   *
   * @param ids the ids of the sessions that a host has
   */
  lost(ids: ReadonlySet<string>): Promise<{ readonly sessions: readonly LostSession[] }>;
}

/** A saved session whose program has ended. */
export interface LostSession {
  readonly id: string;
  readonly facts: Uint8Array;
  /** Why the program ended, if it had not exited by then. */
  readonly endedBy: Extract<EndReason, 'host_lost' | 'stopped' | 'reboot'>;
  /** When it was saved last, in ms since 1970. */
  readonly savedAtMs: number;
  /** Whether all its changes were saved. */
  readonly isWhole: boolean;
  load(): Saved;
}
