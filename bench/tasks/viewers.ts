import { performance } from 'node:perf_hooks';
import { type Coordinator, connect } from 'vtr';
import type { Task, TimeCost } from '../measuring/task.ts';

export interface ViewersRequest {
  readonly task: 'viewers';
  readonly socket: string;
  readonly session: string;
  readonly count: number;
}

/** People who watch a session, as attached terminals do. */
export class ViewersTask implements Task<TimeCost> {
  readonly #request: ViewersRequest;
  #coordinator: Coordinator | null = null;

  constructor(request: ViewersRequest) {
    this.#request = request;
  }

  /** Resolves when all of them see the session. */
  async round(): Promise<TimeCost> {
    const begin = performance.now();
    const { socket, session, count } = this.#request;
    const coordinator = await connect({ socket });
    this.#coordinator = coordinator;
    for (let viewer = 0; viewer < count; viewer++) {
      const size = { cols: 80, rows: 24 };
      const viewing = await coordinator.view(session, { kind: 'attach', size, as: 'watch' });
      const events = await coordinator.subscribe(session, { scrollbackLines: 0 });
      for (const stream of [viewing, events]) drain(stream[Symbol.asyncIterator]());
    }
    return { seconds: (performance.now() - begin) / 1000 };
  }

  async close(): Promise<void> {
    await this.#coordinator?.close();
  }
}

async function drain(events: AsyncIterator<unknown>): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The coordinator was closed.
  }
}
