import type {
  BellEvent,
  ClipboardEvent,
  CwdEvent,
  MarkEvent,
  NotificationEvent,
  ProgressEvent,
  TitleEvent,
} from '#model';

/** Maximum number of pending events; further ones are dropped. */
const maxEvents = 4096;
/** Approximate maximum memory of pending events in bytes. */
const maxBytes = 1024 * 1024;
const bytesOfEvent = 200;

function bytesOf(event: PositionedEvent): number {
  const texts = Object.values(event).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + 2 * text.length, bytesOfEvent);
}

/** A queue of events from output, in order. */
export class EventLog {
  #events: PositionedEvent[] = [];
  #dropped = 0;
  #bytes = 0;

  /** Approximate allocated memory in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of dropped events since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Called with each event, dropped ones included, while the terminal has the state at its position. */
  onEvent: (event: PositionedEvent) => void = () => {};

  push(event: PositionedEvent): void {
    this.onEvent(event);
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

type Unstamped<E> = E extends unknown ? Omit<E, 'revision' | 'atMs'> : never;

/** An event that a program reports at a position in its output. */
export type PositionedEvent = Unstamped<
  CwdEvent | MarkEvent | ProgressEvent | NotificationEvent | ClipboardEvent
>;

/**
 * The effects of output other than changes of the screen. Title and bell occur at most once per
 * feed.
 */
export type TerminalEvent = Unstamped<TitleEvent | BellEvent> | PositionedEvent;
