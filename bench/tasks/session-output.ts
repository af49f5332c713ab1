import { performance } from 'node:perf_hooks';
import type { Size } from '#model';
import type { Task, TimeCost } from '../measuring/task.ts';
import { startCoordinator } from './hosted-coordinator.ts';

export interface SessionOutputRequest {
  readonly task: 'session output';
  /** A script for sh with the measured output. */
  readonly script: string;
  readonly size: Size;
  /** Text that the screen has to show at the end. */
  readonly lastLine: string;
  /** Whether the terminal is in a process of its own. */
  readonly hasHost: boolean;
}

/** The output of a program in a session: elapsed seconds from the spawn to the exit event. */
export class SessionOutputTask implements Task<TimeCost> {
  readonly #request: SessionOutputRequest;
  readonly #coordinator: ReturnType<typeof startCoordinator>;

  constructor(request: SessionOutputRequest) {
    this.#request = request;
    this.#coordinator = startCoordinator(request.hasHost);
  }

  async round(passes: number): Promise<TimeCost> {
    let seconds = 0;
    for (let pass = 0; pass < passes; pass++) seconds += await this.#pass();
    return { seconds };
  }

  async close(): Promise<void> {
    return (await this.#coordinator).close();
  }

  async #pass(): Promise<number> {
    const { script, size, lastLine } = this.#request;
    const coordinator = await this.#coordinator;
    const begin = performance.now();
    const session = await coordinator.spawn({ program: 'sh', args: ['-c', script], size });
    const { outcome } = await coordinator.wait(session);
    const seconds = (performance.now() - begin) / 1000;
    const { text } = await coordinator.screen(session);
    if (outcome !== 'exited' || !text.includes(lastLine)) {
      throw new Error(`${script}: ${outcome}, and the screen lacks its last line`);
    }
    await coordinator.remove(session);
    return seconds;
  }
}
