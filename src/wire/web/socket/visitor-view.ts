import type { JsonConnection, StreamedJson } from '#model';

/** Shows a visitor among the viewers of a session, so that its driver knows who watches. */
export class VisitorView {
  #states: AsyncIterator<StreamedJson> | null;

  /** @param person the name that others see */
  constructor(calls: JsonConnection, sessionId: string, person: string) {
    const states = calls.stream('View', {
      ...{ sessionId, person, kind: 'VIEWER_KIND_WEB', as: 'VIEW_AS_WATCH' },
      // The size has no effect: a viewer that only watches does not resize.
      ...{ cols: 80, rows: 24 },
    });
    this.#states = states;
    void drain(states);
  }

  end(): void {
    void this.#states?.return?.();
    this.#states = null;
  }
}

async function drain(states: AsyncIterable<StreamedJson>): Promise<void> {
  try {
    for await (const _state of states);
  } catch {
    // The session or the daemon has ended.
  }
}
