import { performance } from 'node:perf_hooks';
import type { Task } from '../measuring/task.ts';
import { startCoordinator } from './hosted-coordinator.ts';
import type { RecordingRequest } from './recording-kinds.ts';

export interface RecordedOutputRequest {
  readonly task: 'recorded output';
  /** A program with the measured output. */
  readonly program: string;
  readonly args: readonly string[];
  readonly recording: RecordingRequest;
}

export interface RecordedOutputCost {
  /** From the spawn to the exit event. */
  readonly seconds: number;
  /** CPU time of all threads of the coordinator; its PTY host is another process. */
  readonly cpuSeconds: number;
}

/** The output of a program in a session that is recorded. Its terminal is in a process of its own. */
export class RecordedOutputTask implements Task<RecordedOutputCost> {
  readonly #request: RecordedOutputRequest;
  readonly #coordinator: ReturnType<typeof startCoordinator>;

  constructor(request: RecordedOutputRequest) {
    this.#request = request;
    this.#coordinator = startCoordinator(true, request.recording);
  }

  async close(): Promise<void> {
    return (await this.#coordinator).close();
  }

  async round(passes: number): Promise<RecordedOutputCost> {
    const total = { seconds: 0, cpuSeconds: 0 };
    for (let pass = 0; pass < passes; pass++) {
      const { seconds, cpuSeconds } = await this.#pass();
      total.seconds += seconds;
      total.cpuSeconds += cpuSeconds;
    }
    return total;
  }

  async #pass(): Promise<RecordedOutputCost> {
    const { program, args } = this.#request;
    const coordinator = await this.#coordinator;
    globalThis.gc?.();
    const begin = performance.now();
    const cpu = process.cpuUsage();
    const session = await coordinator.spawn({ program, args: [...args] });
    const { outcome } = await coordinator.wait(session);
    const seconds = (performance.now() - begin) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    if (outcome !== 'exited') throw new Error(`${program}: ${outcome}`);
    await coordinator.remove(session);
    return { seconds, cpuSeconds: (user + system) / 1e6 };
  }
}
