import type { PositionedEvent } from './terminal-events.ts';

/** As many wait to be taken; more are dropped. */
const maxEvents = 4096;
/** So much memory they may take, in bytes, roughly. */
const maxBytes = 1024 * 1024;
const bytesOfEvent = 200;

function bytesOf(event: PositionedEvent): number {
  const texts = Object.values(event).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + 2 * text.length, bytesOfEvent);
}

/** What the program has said, in order, until it is taken. */
export class EventLog {
  #events: PositionedEvent[] = [];
  #dropped = 0;
  #bytes = 0;

  /** Memory held, in bytes, roughly. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Events that found no room, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  push(event: PositionedEvent): void {
    const bytes = bytesOf(event);
    if (this.#events.length === maxEvents || this.#bytes + bytes > maxBytes) this.#dropped++;
    else {
      this.#events.push(event);
      this.#bytes += bytes;
    }
  }

  take(): PositionedEvent[] {
    const taken = this.#events;
    this.#events = [];
    this.#bytes = 0;
    return taken;
  }
}
