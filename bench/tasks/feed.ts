import type { Size } from '#model';
import { type Engine, type EngineName, makeEngine } from '../engines/index.ts';
import { cpuTimeOf, type Task, type TimeCost } from '../measuring/task.ts';
import { chunksOf } from '../payloads/chunks.ts';
import { type PayloadName, payload } from '../payloads/index.ts';

export interface FeedRequest {
  readonly task: 'feed';
  readonly engine: EngineName;
  readonly payload: PayloadName;
  readonly size: Size;
  readonly bytes: number;
}

/**
 * Feeds a payload to an engine once per pass, to the same terminal in every round. This favours an engine
 * that is fastest with a single instance.
 */
export class FeedTask implements Task<TimeCost> {
  readonly #engine: Engine;
  readonly #chunks: readonly Uint8Array[];

  constructor(request: FeedRequest) {
    this.#engine = makeEngine[request.engine](request.size);
    this.#chunks = chunksOf(payload(request.payload, request.size, request.bytes));
  }

  round(passes: number): TimeCost {
    return cpuTimeOf(() => {
      for (let pass = 0; pass < passes; pass++) {
        for (const chunk of this.#chunks) this.#engine.feed(chunk);
      }
    });
  }
}
