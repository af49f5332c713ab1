import { Terminal } from '#vt';
import { cpuTimeOf, type MemoryCost, memoryCostOf, type Task } from '../measuring/task.ts';
import { chunksOf } from '../payloads/chunks.ts';
import { logLines } from '../payloads/log-lines.ts';

export interface ScrollbackRequest {
  readonly task: 'scrollback';
  /** Lines of a log in the scrollback. */
  readonly lines: number;
}

export interface ScrollbackCost extends MemoryCost {
  /** CPU time of all reads of the lines since a mark. */
  readonly seconds: number;
}

const size = { cols: 80, rows: 24 };
const linesSinceMark = 24;
const maxBytes = 1024 ** 3;

/** Keeps a long scrollback, and reads the last lines of it, once per pass. */
export class ScrollbackTask implements Task<ScrollbackCost> {
  readonly #memory: MemoryCost;
  #terminal: Terminal | null = null;
  /** Stored, so that the compiler cannot remove a read. */
  last: unknown;

  constructor({ lines }: ScrollbackRequest) {
    const chunks = chunksOf(Buffer.from(logLines(lines, size.cols).join('\r\n')));
    this.#memory = memoryCostOf(() => {
      this.#terminal = new Terminal({ size, scrollback: { maxLines: lines, maxBytes } });
      for (const chunk of chunks) this.#terminal.feed(chunk);
      return this.#terminal;
    });
  }

  round(passes: number): ScrollbackCost {
    return {
      ...this.#memory,
      ...cpuTimeOf(() => {
        for (let pass = 0; pass < passes; pass++) this.last = this.#read();
      }),
    };
  }

  #read(): string[] {
    const terminal = this.#terminal;
    if (terminal === null) return [];
    const { endLine } = terminal;
    const lines = terminal.readLines(endLine - linesSinceMark, endLine);
    return Array.from(lines, ({ reader }) => reader.text());
  }
}
