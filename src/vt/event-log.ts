import type { PlacedEvent } from './terminal-events.ts';

/** As many wait to be taken; more are dropped. */
const maxEvents = 4096;

/** What the program has said, in order, until it is taken. */
export class EventLog {
  #events: PlacedEvent[] = [];
  #dropped = 0;

  /** Events that found no room, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  push(event: PlacedEvent): void {
    if (this.#events.length === maxEvents) this.#dropped++;
    else this.#events.push(event);
  }

  take(): PlacedEvent[] {
    const taken = this.#events;
    this.#events = [];
    return taken;
  }
}
