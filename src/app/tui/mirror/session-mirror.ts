import type {
  ExitStatus,
  OutputEvent,
  ScreenSnapshot,
  Size,
  SnapshotEvent,
  Subscription,
  SubscriptionEvent,
  VtrError,
} from '#model';
import { asVtrError } from '#model';
import { Terminal } from '#vt';

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
  #terminal: Terminal;
  #subscription: Subscription | null = null;
  #offset = 0;

  /**
   * @param first what is shown until the first event: a screen in the format `ansi`, without the modes
   * of the session; or nothing, in that size
   */
  constructor(first: ScreenSnapshot | Size, listener: MirrorListener) {
    this.#listener = listener;
    this.#terminal = 'cols' in first ? new Terminal({ size: first }) : terminalOf(first);
  }

  /** Another one when events were skipped, because this process was too slow or the connection was lost. */
  get terminal(): Terminal {
    return this.#terminal;
  }

  /** Continues with the events of a subscription, instead of an earlier one. */
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
    else if (event.type === 'resize') this.#terminal.resize(event.size);
  }

  #startFrom({ size, firstLine, dump, offset }: SnapshotEvent): void {
    this.#terminal = new Terminal({ size, firstLine, allowClipboard: true });
    this.#terminal.feed(dump);
    this.#takeAll();
    this.#offset = offset;
  }

  #feed({ offset, bytes }: OutputEvent): void {
    // The output before it is in the snapshot that it follows.
    if (offset < this.#offset) return;
    this.#offset = offset + bytes.length;
    if (bytes.length === 0) this.#terminal.endFrame();
    else this.#terminal.feed(bytes, offset);
    for (const event of this.#takeAll()) {
      if (event.type === 'bell') this.#listener.bell();
      else if (event.type === 'clipboard') this.#listener.clipboard(event.text);
    }
  }

  /** The replies are the coordinator's to send. */
  #takeAll(): ReturnType<Terminal['takeEvents']> {
    this.#terminal.takeReplies();
    return this.#terminal.takeEvents();
  }
}

/** A terminal that shows a screen as it was read. */
function terminalOf({ size, text, cursor, topLine }: ScreenSnapshot): Terminal {
  const terminal = new Terminal({ size, firstLine: topLine });
  const rows = text.map((row, at) => `\x1b[${at + 1}H${row}\x1b[m`);
  const place = `\x1b[${cursor.row + 1};${cursor.col + 1}H`;
  const seen = cursor.visible ? '' : '\x1b[?25l';
  terminal.feed(Buffer.from(`\x1b[?7l${rows.join('')}\x1b[?7h${place}${seen}`));
  return terminal;
}
