import { cpuTimeOf, type Task, type TimeCost } from '../measuring/task.ts';
import { chunksOf } from '../payloads/chunks.ts';
import { fullLines } from '../payloads/full-lines.ts';
import { payload } from '../payloads/index.ts';
import { type ReadName, vtrReads, xtermReads } from './reads.ts';

export type { ReadName } from './reads.ts';

export interface ReadRequest {
  readonly task: 'read';
  readonly engine: 'vtr' | 'xterm';
  readonly read: ReadName;
  /** Lines in the scrollback. */
  readonly lines: number;
}

const size = { cols: 80, rows: 24 };

/** More than the bytes of a line of this payload. */
const denseLineBytes = 700;

/** Reads from a terminal with a coloured log and many lines of scrollback, one read per pass. */
export class ReadTask implements Task<TimeCost> {
  readonly #read: () => unknown;
  /** Stored, so that the compiler cannot remove a read. */
  last: unknown;

  constructor({ engine, read, lines }: ReadRequest) {
    const makeRead = engine === 'vtr' ? vtrReads[read] : xtermReads[read];
    if (makeRead === undefined) throw new Error(`${engine} has no ${read}`);
    this.#read = makeRead(size, chunksOf(contentOf(read, lines)));
  }

  round(passes: number): TimeCost {
    return cpuTimeOf(() => {
      for (let pass = 0; pass < passes; pass++) this.last = this.#read();
    });
  }
}

function contentOf(read: ReadName, lines: number): Buffer {
  if (read === 'dump of dense SGR') return payload('dense SGR', size, denseLineBytes * lines);
  const screen = payload('truecolor log', size, 8 * 1024);
  return Buffer.concat([fullLines('coloured', 80, lines), screen]);
}
