import type { Clock } from '#base';
import { flow, type JsonMessage, type StreamedJson } from '#model';

const { maxLagMs, maxLagBytes: maxWaitingBytes } = flow.page;

type Events = AsyncIterator<StreamedJson>;

/**
 * The events of a session for a page that may be slow to show them, or have a slow line: it gets what is
 * on the screen, not what was there a second ago.
 */
export class RecentEvents implements Events {
  readonly #request: JsonMessage;
  readonly #open: (request: JsonMessage) => Events;
  readonly #clock: Clock;
  #events: Events;
  /** Older events were asked for (`since`). */
  #openedMs: number;

  /** @param request of Subscribe, with events */
  constructor(request: JsonMessage, open: (request: JsonMessage) => Events, clock: Clock) {
    this.#request = { ...request, maxWaitingBytes };
    this.#open = open;
    this.#clock = clock;
    this.#openedMs = clock.wallMs();
    this.#events = open(this.#request);
  }

  async next(): Promise<IteratorResult<StreamedJson>> {
    const result = await this.#events.next();
    if (result.done || !this.#isLate(result.value.json)) return result;
    void this.#events.return?.();
    // Without its beginning: the next event is the state.
    const { since: _since, ...request } = this.#request;
    this.#openedMs = this.#clock.wallMs();
    this.#events = this.#open(request);
    return this.#events.next();
  }

  async return(): Promise<IteratorResult<StreamedJson>> {
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  #isLate({ output, at }: JsonMessage): boolean {
    if (output === undefined) return false;
    const atMs = Date.parse(String(at));
    return atMs > this.#openedMs && this.#clock.wallMs() - atMs > maxLagMs;
  }
}
