import { ignored } from '#base';
import {
  applyFrame,
  type Cell,
  type Coordinator,
  type Cursor,
  type Size,
  type Subscription,
  type ViewModes,
} from '#model';
import type { PaneSession } from '../state/tmux-window.ts';

/** What a session shows. */
export interface SessionScreen {
  readonly size: Size;
  readonly rows: readonly (readonly Cell[])[];
  readonly cursor: Cursor;
  readonly modes: ViewModes;
}

/** What a client is told of the sessions that it shows. */
export interface ViewsListener {
  /** A screen is another one than before. */
  changed(): void;
  rang(session: PaneSession, count: number): void;
}

interface Viewed {
  readonly session: PaneSession;
  readonly events: Promise<Subscription>;
  isChanged: boolean;
  isDrawn: boolean;
  screen: SessionScreen | null;
}

/** The screens of sessions that a client shows. They are read when they are drawn, not when they change. */
export class SessionViews {
  readonly #coordinator: Coordinator;
  readonly #listener: ViewsListener;
  readonly #viewed = new Map<string, Viewed>();
  #isDisposed = false;

  constructor(coordinator: Coordinator, listener: ViewsListener) {
    this.#coordinator = coordinator;
    this.#listener = listener;
  }

  /** Reads the sessions that are drawn; those that are not are no longer followed. */
  async drawing<T>(draw: () => Promise<T>): Promise<T> {
    for (const viewed of this.#viewed.values()) viewed.isDrawn = false;
    const drawn = await draw();
    for (const viewed of this.#viewed.values()) if (!viewed.isDrawn) this.#leave(viewed);
    return drawn;
  }

  /** What a session shows now; null if it has gone before it was drawn. It is followed from now on. */
  async screenOf(session: PaneSession): Promise<SessionScreen | null> {
    if (this.#isDisposed) return null;
    const viewed = this.#viewed.get(session.id) ?? this.#enter(session);
    viewed.isDrawn = true;
    if (!viewed.isChanged) return viewed.screen;
    viewed.isChanged = false;
    try {
      const { frame } = await this.#coordinator.frame(session);
      const { size, cursor, modes } = frame;
      viewed.screen = { size, cursor, modes, rows: applyFrame([], frame) };
    } catch {
      // The session has gone; its pane goes, too, or keeps what it showed last.
    }
    return viewed.screen;
  }

  /** What a session showed when it was drawn last. */
  latest({ id }: PaneSession): SessionScreen | null {
    return this.#viewed.get(id)?.screen ?? null;
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const viewed of this.#viewed.values()) this.#leave(viewed);
  }

  #enter(session: PaneSession): Viewed {
    const events = this.#coordinator.subscribe(session, { scrollbackLines: 0 });
    const viewed: Viewed = { session, events, isChanged: true, isDrawn: true, screen: null };
    this.#viewed.set(session.id, viewed);
    ignored(this.#listen(viewed), 'the session may be gone');
    return viewed;
  }

  #leave({ session, events }: Viewed): void {
    this.#viewed.delete(session.id);
    ignored(
      events.then((each) => each.dispose()),
      'a subscription that failed need not be ended',
    );
  }

  async #listen(viewed: Viewed): Promise<void> {
    for await (const event of await viewed.events) {
      if (this.#viewed.get(viewed.session.id) !== viewed) return;
      if (event.type === 'bell') this.#listener.rang(viewed.session, event.count);
      viewed.isChanged = true;
      this.#listener.changed();
    }
  }
}
