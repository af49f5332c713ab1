import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { LocalCoordinator } from '#coordinator';
import type { SessionInfo } from '#model';
import { percentile } from '../measuring/statistics.ts';
import type { Task } from '../measuring/task.ts';
import { EchoSession } from './echo-session.ts';

export interface LatencyRequest {
  readonly task: 'latency';
  /** Sessions that flood beside the one that is measured. */
  readonly floods: number;
}

/** All in ms, but for the throughput. */
export interface LatencyCost {
  readonly echoP50Ms: number;
  readonly echoP99Ms: number;
  /** Of the event loop, over the sampling timer's own millisecond. */
  readonly loopDelayP99Ms: number;
  /** What the floods wrote, all together. */
  readonly floodBytesPerSecond: number;
}

/** Between a byte that has come back and the next, in ms. */
const pauseMs = 2;
const samplingMs = 1;
const warmUpPasses = 100;
/** `y`, and the line end that the terminal makes of it. */
const floodLineBytes = 3;

/** Echoes bytes through a session that runs `cat`, while others run `yes`. */
export class LatencyTask implements Task<LatencyCost> {
  readonly #request: LatencyRequest;
  readonly #coordinator = new LocalCoordinator();

  constructor(request: LatencyRequest) {
    this.#request = request;
  }

  close(): Promise<void> {
    return this.#coordinator.close();
  }

  /** @param passes bytes to be echoed */
  async round(passes: number): Promise<LatencyCost> {
    const coordinator = this.#coordinator;
    const echo = await EchoSession.start(coordinator);
    const floods = await this.#startFloods();
    for (let pass = 0; pass < Math.min(passes, warmUpPasses); pass++) await echo.roundTripMs();
    const before = await this.#floodLines(floods);
    const delays = monitorEventLoopDelay({ resolution: samplingMs });
    delays.enable();
    const begin = performance.now();
    const samples: number[] = [];
    for (let pass = 0; pass < passes; pass++) {
      samples.push(await echo.roundTripMs());
      await setTimeout(pauseMs);
    }
    const seconds = (performance.now() - begin) / 1000;
    delays.disable();
    const lines = (await this.#floodLines(floods)) - before;
    for (const { name } of await coordinator.list())
      await coordinator.remove(name, { force: true });
    return {
      echoP50Ms: percentile(samples, 0.5),
      echoP99Ms: percentile(samples, 0.99),
      loopDelayP99Ms: delays.percentile(99) / 1e6 - samplingMs,
      floodBytesPerSecond: (lines * floodLineBytes) / seconds,
    };
  }

  async #startFloods(): Promise<SessionInfo[]> {
    const floods: SessionInfo[] = [];
    for (let flood = 0; flood < this.#request.floods; flood++) {
      floods.push(await this.#coordinator.spawn({ program: 'yes' }));
    }
    return floods;
  }

  /** How many lines there have been, the ones that are gone included. */
  async #floodLines(floods: readonly SessionInfo[]): Promise<number> {
    let lines = 0;
    for (const flood of floods) {
      const { endLine } = await this.#coordinator.readLines(flood, { from: 0, to: 0 });
      lines += endLine;
    }
    return lines;
  }
}
