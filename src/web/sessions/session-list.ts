import { computed, signal } from '@preact/signals';
import { ignored, Outages, ownTimers, type Timers } from '#base';
import type { AnswerJson, RowFrameJson, SessionJson } from '#messages';
import { compareByNeed, type SessionInfo } from '#model';
import type { Calls, Stream } from '../link/link.ts';
import { sessionOf } from '../link/values.ts';

/** Someone who sees frames of a session. */
export interface FrameListener {
  frame(frame: RowFrameJson): void;
}

/** Frames a second of a tile: as many as one can follow, and fewer if there are many. */
const framesPerSecond = (tiles: number): number => (tiles > 12 ? 6 : 12);

/** A coordinator that did not answer is asked again and again. */
const patience = { firstPauseMs: 2_000, maxPauseMs: 2_000 };

/** Without what a person needs not come for: a program that is quiet, one that has ended well. */
function wanting(info: SessionInfo): SessionInfo {
  const { attention, ...rest } = info;
  const isOver = attention?.kind === 'done' && info.state === 'exited';
  return isOver || attention?.kind === 'quiet' ? rest : info;
}

/** All sessions, as the server tells of them, and frames of those that are in view. */
export class SessionList {
  /** By id. Null until the first list. */
  readonly all = signal<ReadonlyMap<string, SessionInfo> | null>(null);
  /** Those that will be removed soon, by id. */
  readonly #leaving = signal<ReadonlySet<string>>(new Set());
  /** Those that want somebody first; then the oldest. Without those that will be removed. */
  readonly ordered = computed(() =>
    [...(this.all.value?.values() ?? [])]
      .filter(({ id }) => !this.#leaving.value.has(id))
      .sort((a, b) => compareByNeed(wanting(a), wanting(b)) || a.createdAtMs - b.createdAtMs),
  );
  /** Whether the coordinator does not answer, although the connection is up. */
  readonly isSilent = signal(false);
  readonly #link: Calls;
  readonly #listeners = new Map<string, FrameListener>();
  #watchId: string | null = null;
  #stream: Stream | null = null;
  #isAsking = false;
  readonly #timers: Timers;
  readonly #outages: Outages;
  readonly #unlisten: () => void;

  constructor(link: Calls, timers: Timers = ownTimers) {
    this.#link = link;
    this.#timers = timers;
    this.#outages = new Outages(timers, patience);
    this.#unlisten = link.onUp(() => this.#watch());
  }

  /** Ends it, for a coordinator that has gone. */
  close(): void {
    this.#outages.end();
    this.#unlisten();
    this.#stream?.close();
  }

  named(name: string): SessionInfo | null {
    for (const info of this.all.value?.values() ?? []) if (info.name === name) return info;
    return null;
  }

  /** Resolves when a session that was just started is in the list, or after a while, in ms. */
  listed(id: string, withinMs = 3_000): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#timers.schedule(withinMs, () => done());
      const off = this.all.subscribe((all) => {
        if (all?.has(id)) queueMicrotask(() => done());
      });
      const done = () => {
        timer.dispose();
        off();
        resolve();
      };
    });
  }

  /**
   * Removes a session after a time, in ms. Until then it is not among those that are shown.
   *
   * @param failed called if it cannot be removed; it is shown again
   * @returns keeps it
   */
  removeLater({ id, name }: SessionInfo, ms: number, failed: (error: Error) => void): () => void {
    const leave = (leaves: boolean) => {
      const others = [...this.#leaving.value].filter((each) => each !== id);
      this.#leaving.value = new Set(leaves ? [...others, id] : others);
    };
    leave(true);
    const timer = this.#timers.schedule(ms, () => {
      const request = { name, sessionId: id, keepsWork: true };
      this.#link.call('Remove', request).catch((error: Error) => {
        leave(false);
        failed(error);
      });
    });
    return () => {
      timer.dispose();
      leave(false);
    };
  }

  /** Sends frames of a session to a listener, in place of an earlier one of that session. */
  show({ id }: SessionInfo, listener: FrameListener): () => void {
    this.#listeners.set(id, listener);
    this.#ask();
    return () => {
      if (this.#listeners.get(id) !== listener) return;
      this.#listeners.delete(id);
      this.#ask();
    };
  }

  #watch(): void {
    this.#outages.back();
    this.#watchId = null;
    this.#stream = this.#link.open(
      'WatchSessions',
      {},
      {
        message: ({ body }) => this.#apply(body),
        ended: () => {
          // Without the connection, or without the coordinator.
          if (this.#link.state.value !== 'up' || !this.#outages.lost()) return;
          this.isSilent.value = true;
          void this.#outages.pause().then((isDue) => isDue && this.#watch());
        },
      },
    );
  }

  #apply({ watchId, sessions, session, removed, frame }: AnswerJson<'WatchSessions'>): void {
    if (frame !== undefined) {
      this.#listeners.get(frame.sessionId ?? '')?.frame(frame);
      return;
    }
    this.isSilent.value = false;
    const all = new Map(sessions === undefined ? this.all.value : []);
    const put = (each: SessionJson) => {
      const info = sessionOf(each);
      all.set(info.id, info);
    };
    for (const each of sessions?.sessions ?? []) put(each);
    if (session !== undefined) put(session);
    if (removed !== undefined) all.delete(removed.sessionId ?? '');
    this.all.value = all;
    if (watchId === undefined || watchId === '' || watchId === this.#watchId) return;
    this.#watchId = watchId;
    this.#ask();
  }

  /** Asks for the frames that are in view, once for all changes of a turn. */
  #ask(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    queueMicrotask(() => {
      this.#isAsking = false;
      const watchId = this.#watchId;
      if (watchId === null || this.#stream === null) return;
      const { all } = this;
      const sessions = [...this.#listeners.keys()].flatMap((sessionId) => {
        const name = all.value?.get(sessionId)?.name;
        return name === undefined ? [] : [{ name, sessionId }];
      });
      const frames = { sessions, perSecond: framesPerSecond(sessions.length) };
      ignored(
        this.#link.call('SetWatchFrames', { watchId, frames }),
        'the watch itself notices a loss',
      );
    });
  }
}
