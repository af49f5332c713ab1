import type {
  ExitStatus,
  OutputEvent,
  RowFrame,
  Size,
  SnapshotEvent,
  Subscription,
  SubscriptionEvent,
  ViewModes,
  VtrError,
} from '#model';
import { asVtrError, initialViewModes } from '#model';
import type { Terminal } from '#vt';
import { firstScreen, type SessionScreen, screenOf } from '../view/session-screen.ts';

export interface MirrorListener {
  /** What is shown may have changed. */
  changed(): void;
  exited(status: ExitStatus): void;
  bell(): void;
  /** The program set the clipboard (OSC 52). */
  clipboard(text: string): void;
  /** No events follow, and the session has not exited. */
  lost(error: VtrError): void;
}

/**
 * A copy of a session's terminal in this process, kept equal to it by the session's events. Its lines
 * begin with those that were on the screen when it began; earlier ones are read from the coordinator.
 */
export class SessionMirror {
  readonly #listener: MirrorListener;
  /** Null until the first event. */
  #terminal: Terminal | null = null;
  #screen: SessionScreen;
  /** The modes before the first event. */
  readonly #first: ViewModes;
  #newTerminal: typeof Terminal | null = null;
  #subscription: Subscription | null = null;
  #offset = 0;

  /**
   * @param first what is shown until the first event: a full frame; or nothing, in that size
   */
  constructor(first: RowFrame | Size, listener: MirrorListener) {
    this.#listener = listener;
    this.#first = 'full' in first ? first.modes : initialViewModes;
    this.#screen = firstScreen(first);
  }

  /** Loads the terminal engine, which `follow` needs. */
  async load(): Promise<void> {
    const { Terminal } = await import('#vt');
    this.#newTerminal = Terminal;
  }

  /**
   * Null until the first event. Another one when events were skipped, because this process was too slow
   * or the connection was lost.
   */
  get terminal(): Terminal | null {
    return this.#terminal;
  }

  get modes(): ViewModes {
    return this.#terminal?.viewModes ?? this.#first;
  }

  /** Returns what is shown. Rows that have not changed since the last call are the same objects. */
  screen(): SessionScreen {
    if (this.#terminal !== null) this.#screen = screenOf(this.#terminal, this.#screen);
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
        this.#apply(event);
        if (event.type === 'exit') ({ status } = event);
        this.#listener.changed();
      }
    } catch (error) {
      if (subscription === this.#subscription) this.#listener.lost(asVtrError(error));
      return;
    }
    if (subscription === this.#subscription && status !== null) this.#listener.exited(status);
  }

  #apply(event: SubscriptionEvent): void {
    if (event.type === 'snapshot') this.#startFrom(event);
    else if (event.type === 'output') this.#feed(event);
    else if (event.type === 'resize') this.#terminal?.resize(event.size, event.erasedFrom);
  }

  #startFrom({ size, firstLine, dump, offset }: SnapshotEvent): void {
    if (this.#newTerminal === null) throw new TypeError('the terminal engine is not loaded');
    this.#terminal = new this.#newTerminal({ size, firstLine, allowClipboard: true });
    this.#terminal.feed(dump);
    this.#takeAll();
    this.#offset = offset;
  }

  #feed({ offset, bytes }: OutputEvent): void {
    // The output before it is in the snapshot that it follows.
    if (offset < this.#offset) return;
    this.#offset = offset + bytes.length;
    if (bytes.length === 0) this.#terminal?.endFrame();
    else this.#terminal?.feed(bytes, offset);
    for (const event of this.#takeAll()) {
      if (event.type === 'bell') this.#listener.bell();
      else if (event.type === 'clipboard') this.#listener.clipboard(event.text);
    }
  }

  /** The replies are the coordinator's to send. */
  #takeAll(): ReturnType<Terminal['takeEvents']> {
    this.#terminal?.takeReplies();
    return this.#terminal?.takeEvents() ?? [];
  }
}
