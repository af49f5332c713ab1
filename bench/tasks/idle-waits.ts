import { setTimeout } from 'node:timers/promises';
import { LocalCoordinator } from '#coordinator';
import type { SessionInfo } from '#model';
import { settledMemory, type Task } from '../measuring/task.ts';
import { idleRequests } from './answer.ts';

export interface IdleWaitsRequest {
  readonly task: 'idle waits';
  readonly sessions: number;
  readonly waits: number;
}

export interface IdleWaitsCost {
  /** CPU time of all threads of the process while idle. */
  readonly cpuMs: number;
  /** The memory of all waits in the JavaScript heap and the buffers outside of it. */
  readonly bytes: number;
}

/** The time until the start of a session has no work left. */
const settlingShare = 0.2;

/** Waits on sessions of `cat`, which print nothing. */
export class IdleWaitsTask implements Task<IdleWaitsCost> {
  readonly #request: IdleWaitsRequest;
  readonly #coordinator = new LocalCoordinator();

  constructor(request: IdleWaitsRequest) {
    this.#request = request;
  }

  close(): Promise<void> {
    return this.#coordinator.close();
  }

  /** @param passes seconds to be idle */
  async round(passes: number): Promise<IdleWaitsCost> {
    const settlingMs = settlingShare * passes * 1000;
    const sessions: SessionInfo[] = [];
    for (let at = 0; at < this.#request.sessions; at++) {
      sessions.push(await this.#coordinator.spawn({ program: 'cat' }));
    }
    await setTimeout(settlingMs);
    const before = settledMemory();
    const waits = this.#waits(sessions);
    await setTimeout(settlingMs);
    const after = settledMemory();
    const cpu = process.cpuUsage();
    await setTimeout(passes * 1000);
    const { user, system } = process.cpuUsage(cpu);
    if (waits.length !== this.#request.waits) throw new Error('waits were lost');
    return { cpuMs: (user + system) / 1000, bytes: after.heapBytes - before.heapBytes };
  }

  /** They end when the coordinator closes. */
  #waits(sessions: readonly SessionInfo[]): Promise<unknown>[] {
    return Array.from({ length: this.#request.waits }, (_, at) => {
      const session = sessions[at % sessions.length] as SessionInfo;
      const request = { ...idleRequests[at % idleRequests.length], timeoutMs: 600_000 };
      return this.#coordinator.wait(session, request);
    });
  }
}
