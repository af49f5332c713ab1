import type { OutputEvent, SnapshotEvent, SubscriptionEvent } from '#model';
import { defaultScrollback, type ScrollbackLimits, Terminal } from '#vt';

/**
 * The terminal that a remote viewer builds from events: from a snapshot and the events after it. Throws
 * at a gap or a repeat.
 */
export class SubscribedTerminal {
  readonly #events: AsyncIterator<SubscriptionEvent>;
  readonly #scrollback: ScrollbackLimits;
  #terminal: Terminal | null = null;
  #offset = 0;
  /** Revision of the last event. */
  revision = -1;
  /** The number of snapshots; more than one when the subscriber is too slow. */
  snapshots = 0;
  exited = false;

  /** @param scrollback that of the session */
  constructor(events: AsyncIterable<SubscriptionEvent>, scrollback = defaultScrollback) {
    this.#events = events[Symbol.asyncIterator]();
    this.#scrollback = scrollback;
  }

  get terminal(): Terminal {
    if (this.#terminal === null) throw new Error('there was no snapshot yet');
    return this.#terminal;
  }

  /** The lines and, if it is alternate, the screen. */
  text(): string {
    const { firstLine, endLine, alternate } = this.terminal;
    const lines = [...this.terminal.readLines(firstLine, endLine)];
    const texts = lines.map(({ reader }) => reader.text());
    return [...texts, ...(alternate ? this.terminal.screenText() : [])].join('\n');
  }

  /** Waits for `count` events, or for the end. */
  async take(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      const { done, value } = await this.#events.next();
      if (done) return;
      this.#apply(value);
    }
  }

  /** Takes events until the terminal is at least as new. */
  async takeUntilRevision(revision: number): Promise<void> {
    while (this.revision < revision) await this.take(1);
  }

  async takeUntilExit(): Promise<void> {
    while (!this.exited) await this.take(1);
  }

  #apply(event: SubscriptionEvent): void {
    if (this.exited) throw new Error(`${event.type} after the exit`);
    if (event.revision < this.revision) {
      throw new Error(`${event.type} of revision ${event.revision} after ${this.revision}`);
    }
    this.revision = event.revision;
    if (event.type === 'snapshot') this.#startFrom(event);
    else if (event.type === 'output') this.#feed(event);
    else if (event.type === 'resize') this.terminal.resize(event.size, event.erasedFrom);
    else if (event.type === 'exit') this.exited = true;
  }

  #startFrom({ size, firstLine, dump, offset }: SnapshotEvent): void {
    this.snapshots++;
    this.#terminal = new Terminal({ size, firstLine, scrollback: this.#scrollback });
    this.#terminal.feed(dump);
    this.#offset = offset;
  }

  #feed({ offset, bytes }: OutputEvent): void {
    if (offset !== this.#offset) throw new Error(`output at ${offset}, expected ${this.#offset}`);
    this.#offset += bytes.length;
    this.terminal.feed(bytes);
  }
}
