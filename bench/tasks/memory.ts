import { type Engine, makeEngine } from '../engines/index.ts';
import { type MemoryCost, memoryCostOf, type Task } from '../measuring/task.ts';
import { fullLines, type LineLook } from '../payloads/full-lines.ts';

export interface MemoryRequest {
  readonly task: 'memory';
  readonly engine: 'vtr' | 'xterm, bytes';
  readonly content: 'nothing' | LineLook;
  /** The lines of output of each terminal. */
  readonly lines: number;
}

const size = { cols: 80, rows: 24 };

/** Keeps terminals, one per pass. */
export class MemoryTask implements Task<MemoryCost> {
  readonly #request: MemoryRequest;

  constructor(request: MemoryRequest) {
    this.#request = request;
    // The code that the first terminal loads does not belong to a terminal.
    this.#terminal();
  }

  round(passes: number): MemoryCost {
    return memoryCostOf(() => Array.from({ length: passes }, () => this.#terminal()));
  }

  #terminal(): Engine {
    const { engine: name, content, lines } = this.#request;
    const engine = makeEngine[name](size);
    if (content !== 'nothing') engine.feed(fullLines(content, size.cols, lines));
    return engine;
  }
}
