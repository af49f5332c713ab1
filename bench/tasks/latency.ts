import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { LoopDelays } from '../measuring/loop-delays.ts';
import { percentile } from '../measuring/statistics.ts';
import type { Task } from '../measuring/task.ts';
import { BareEcho } from './bare-echo.ts';
import { EchoSession } from './echo-session.ts';
import { bareFloods, sessionFloods } from './floods.ts';
import { startCoordinator } from './hosted-coordinator.ts';
import type { RecordingRequest } from './recording-kinds.ts';

export interface LatencyRequest {
  readonly task: 'latency';
  /** The number of programs that flood next to the measured session. */
  readonly floods: number;
  /** The byte goes to a pseudo-terminal without a session. */
  readonly isBareEcho?: boolean;
  /** They run in pseudo-terminals without sessions. */
  readonly bare: boolean;
  /** Whether the terminals of sessions are in a process of their own. */
  readonly hasHost: boolean;
  readonly recording?: RecordingRequest;
}

/** All in ms, except the throughput. */
export interface LatencyCost {
  readonly echoP50Ms: number;
  readonly echoP99Ms: number;
  /** Delays of the event loop, and the process's own CPU time in them. */
  readonly loopDelayP99Ms: number;
  readonly ownDelayP99Ms: number;
  /** The total output of the floods. */
  readonly floodBytesPerSecond: number;
}

/** The pause between an echo and the next byte, in ms. */
const pauseMs = 2;
const warmUpPasses = 100;

/** Echoes bytes through a session that runs `cat`, while other programs run `yes`. */
export class LatencyTask implements Task<LatencyCost> {
  readonly #request: LatencyRequest;
  readonly #coordinator: ReturnType<typeof startCoordinator>;

  constructor(request: LatencyRequest) {
    this.#request = request;
    this.#coordinator = startCoordinator(request.hasHost, request.recording);
  }

  async close(): Promise<void> {
    return (await this.#coordinator).close();
  }

  /** @param passes the number of bytes to echo */
  async round(passes: number): Promise<LatencyCost> {
    const { floods: count, bare, isBareEcho = false } = this.#request;
    const coordinator = await this.#coordinator;
    const echo = isBareEcho ? await BareEcho.start() : await EchoSession.start(coordinator);
    const floods = bare ? await bareFloods(count) : await sessionFloods(coordinator, count);
    for (let pass = 0; pass < Math.min(passes, warmUpPasses); pass++) await echo.roundTripMs();
    const before = await floods.bytes();
    const delays = new LoopDelays();
    const begin = performance.now();
    const samples: number[] = [];
    for (let pass = 0; pass < passes; pass++) {
      samples.push(await echo.roundTripMs());
      await setTimeout(pauseMs);
    }
    const seconds = (performance.now() - begin) / 1000;
    const { p99Ms, ownP99Ms } = delays.stop();
    const bytes = (await floods.bytes()) - before;
    await floods.end();
    await echo.end();
    return {
      echoP50Ms: percentile(samples, 0.5),
      echoP99Ms: percentile(samples, 0.99),
      loopDelayP99Ms: p99Ms,
      ownDelayP99Ms: ownP99Ms,
      floodBytesPerSecond: bytes / seconds,
    };
  }
}
