import type { NotificationEvent, SubscriptionEvent } from '#model';
import { Terminal } from '#vt';

type Event<Type extends SubscriptionEvent['type']> = Extract<SubscriptionEvent, { type: Type }>;

/** What changes a mirror. */
export type MirrorEvent =
  | Pick<Event<'snapshot'>, 'type' | 'size' | 'firstLine' | 'dump' | 'offset'>
  | Pick<Event<'output'>, 'type' | 'offset' | 'bytes'>
  | Pick<Event<'resize'>, 'type' | 'size' | 'erasedFrom'>;

export interface MirrorListener {
  bell(): void;
  /** The program set the clipboard (OSC 52). */
  clipboard(text: string): void;
  /** The program sent a notification (OSC 9, 99, 777). */
  notification?(notification: Pick<NotificationEvent, 'title' | 'body' | 'code'>): void;
}

/**
 * A copy of a session's terminal, kept equal to it by the events of a subscription. Its lines begin with those
 * of the first snapshot. It answers no query: the replies are the coordinator's to send.
 */
export class Mirror {
  readonly #listener: MirrorListener;
  #terminal: Terminal | null = null;
  /** One past the last byte of output that the terminal contains. */
  #offset = 0;

  constructor(listener: MirrorListener) {
    this.#listener = listener;
  }

  /** Null until the first snapshot. Another one after each: events were skipped, or the session was joined again. */
  get terminal(): Terminal | null {
    return this.#terminal;
  }

  /** Other events of a subscription change nothing. */
  apply(event: MirrorEvent | Exclude<SubscriptionEvent, Event<MirrorEvent['type']>>): void {
    if (event.type === 'snapshot') {
      const { size, firstLine, dump, offset } = event;
      this.#terminal = new Terminal({ size, firstLine, allowClipboard: true });
      this.#terminal.feed(dump);
      this.#offset = offset;
    }
    const terminal = this.#terminal;
    if (terminal === null) return;
    const isOutput = event.type === 'output';
    if (isOutput) this.#feed(terminal, event.offset, event.bytes);
    else if (event.type === 'resize') terminal.resize(event.size, event.erasedFrom);
    terminal.takeReplies();
    for (const raised of terminal.takeEvents()) {
      // What a dump repeats has been reported before.
      if (!isOutput) continue;
      if (raised.type === 'bell') this.#listener.bell();
      else if (raised.type === 'clipboard') this.#listener.clipboard(raised.text);
      else if (raised.type === 'notification') this.#listener.notification?.(raised);
    }
  }

  #feed(terminal: Terminal, offset: number, bytes: Uint8Array): void {
    // The snapshot that it follows contains the output before it.
    if (offset < this.#offset) return;
    this.#offset = offset + bytes.length;
    if (bytes.length === 0) terminal.endFrame();
    else terminal.feed(bytes, offset);
  }
}
