import type { Clock } from './clock.ts';
import type { Disposable } from './emitter.ts';

/** The sessions that came or went before a collection pays: they leave 1 MB or more behind. */
const leastChanges = 50;
/** The time between two looks at the activity, in ms, while garbage is to be collected. */
const lookMs = 2_000;
/**
 * The looks in a row that must see no activity. V8 makes its young generation small again only if little was allocated in the
 * last 5 s.
 */
const quietLooks = 3;
/** The least time between two collections, in ms. */
const pauseMs = 60_000;

export interface GarbageCollectionParts {
  readonly clock: Pick<Clock, 'nowMs' | 'schedule'>;
  /** Returns a number that changes when something is typed or printed. */
  readonly activity: () => number;
  /** Collects all garbage. Everything else waits meanwhile. */
  readonly collect: () => void;
}

/**
 * Collects garbage once after many sessions came or went, when nothing is typed or printed. V8 would do it when the heap
 * has grown further, which that of an idle process does not.
 */
export class GarbageCollection implements Disposable {
  readonly #parts: GarbageCollectionParts;
  #changes = 0;
  #timer: Disposable | null = null;
  /** The sum of changes and activity at the last look. */
  #sumBefore = 0;
  #quiet = 0;
  #isOver = false;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  constructor(parts: GarbageCollectionParts) {
    this.#parts = parts;
  }

  /** Must be called when a session has come or gone. */
  noteChange(): void {
    this.#changes++;
    if (this.#changes < leastChanges || this.#timer !== null || this.#isOver) return;
    this.#quiet = 0;
    this.#sumBefore = this.#sum();
    this.#lookLater();
  }

  /** From now on nothing is collected, although all sessions may end. */
  dispose(): void {
    this.#isOver = true;
    this.#timer?.dispose();
  }

  #sum(): number {
    return this.#changes + this.#parts.activity();
  }

  #lookLater(): void {
    this.#timer = this.#parts.clock.schedule(lookMs, () => this.#look());
  }

  #look(): void {
    const { clock, collect } = this.#parts;
    const sum = this.#sum();
    this.#quiet = sum === this.#sumBefore ? this.#quiet + 1 : 0;
    this.#sumBefore = sum;
    const nowMs = clock.nowMs();
    if (this.#quiet < quietLooks || nowMs < this.#notBeforeMs) {
      this.#lookLater();
      return;
    }
    this.#timer = null;
    this.#changes = 0;
    this.#notBeforeMs = nowMs + pauseMs;
    collect();
  }
}

/** The parts of `node:v8` and `node:vm` that are used here; this room compiles without the types of Node.js. */
export interface EngineControl {
  readonly setFlagsFromString: (flag: string) => void;
  readonly runInNewContext: (code: string) => unknown;
}

/**
 * Collects all garbage of this process, and gives the memory back: without compaction, most pages of the heap stay.
 *
 * The flags are set only meanwhile, because V8 refuses saved code that was compiled with others. HeapProfiler of
 * `node:inspector` is not used: it collects several times in a row, and Node.js hangs if its session is closed in the
 * callback.
 */
export function collectGarbage({ setFlagsFromString, runInNewContext }: EngineControl): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return;
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}
