import type { Mirror, MirrorListener } from '#mirror';
import {
  asVtrError,
  type ExitStatus,
  initialViewModes,
  type RowFrame,
  type Size,
  type Subscription,
  type ViewModes,
  type VtrError,
} from '#model';
import type { Terminal } from '#vt';
import { firstScreen, type SessionScreen, screenOf } from '../view/session-screen.ts';

export interface SessionMirrorListener extends MirrorListener {
  /** What is shown may have changed. */
  changed(): void;
  exited(status: ExitStatus): void;
  /** No events follow, and the session has not exited. */
  lost(error: VtrError): void;
}

/** The mirror of a session that a person attaches to: what is shown before it, and the subscription that feeds it. */
export class SessionMirror {
  readonly #listener: SessionMirrorListener;
  /** Null until the engine is loaded. */
  #mirror: Mirror | null = null;
  #screen: SessionScreen;
  /** The modes before the first event. */
  readonly #first: ViewModes;
  #subscription: Subscription | null = null;

  /**
   * @param first what is shown until the first event: a full frame; or nothing, in that size
   */
  constructor(first: RowFrame | Size, listener: SessionMirrorListener) {
    this.#listener = listener;
    this.#first = 'full' in first ? first.modes : initialViewModes;
    this.#screen = firstScreen(first);
  }

  /** Loads the terminal engine, which `follow` needs. */
  async load(): Promise<void> {
    const { Mirror } = await import('#mirror');
    this.#mirror ??= new Mirror(this.#listener);
  }

  /**
   * Null until the first event. Another one when events were skipped, because this process was too slow
   * or the connection was lost.
   */
  get terminal(): Terminal | null {
    return this.#mirror?.terminal ?? null;
  }

  get modes(): ViewModes {
    return this.terminal?.viewModes ?? this.#first;
  }

  /** Returns what is shown: the same object if it has not changed since the last call; else unchanged rows are the same. */
  screen(): SessionScreen {
    const { terminal } = this;
    const { source, cells } = this.#screen;
    if (terminal !== null && (source !== terminal || cells.revision !== terminal.revision))
      this.#screen = screenOf(terminal, this.#screen);
    return this.#screen;
  }

  /** Continues with the events of a subscription, instead of an earlier one. Requires `load`. */
  follow(subscription: Subscription): void {
    this.#subscription?.dispose();
    this.#subscription = subscription;
    void this.#read(subscription);
  }

  /** The terminal stays as it is. */
  dispose(): void {
    this.#subscription?.dispose();
    this.#subscription = null;
  }

  async #read(subscription: Subscription): Promise<void> {
    let status: ExitStatus | null = null;
    try {
      for await (const event of subscription) {
        if (subscription !== this.#subscription) return;
        this.#mirror?.apply(event);
        if (event.type === 'exit') ({ status } = event);
        this.#listener.changed();
      }
    } catch (error) {
      if (subscription === this.#subscription) this.#listener.lost(asVtrError(error));
      return;
    }
    if (subscription === this.#subscription && status !== null) this.#listener.exited(status);
  }
}
