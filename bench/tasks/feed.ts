import type { Size } from '#model';
import { type EngineName, makeEngine } from '../engines/index.ts';
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

/** Feeds a payload to an engine. */
export class FeedTask implements Task<TimeCost> {
  readonly #request: FeedRequest;
  readonly #chunks: readonly Uint8Array[];

  constructor(request: FeedRequest) {
    this.#request = request;
    this.#chunks = chunksOf(payload(request.payload, request.size, request.bytes));
  }

  /** A terminal a round, a payload a pass. */
  round(passes: number): TimeCost {
    const { engine: name, size } = this.#request;
    const engine = makeEngine[name](size);
    return cpuTimeOf(() => {
      for (let pass = 0; pass < passes; pass++) {
        for (const chunk of this.#chunks) engine.feed(chunk);
      }
    });
  }
}
