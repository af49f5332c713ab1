import type { Clock, Disposable } from '#base';

/** Fewer sessions leave too little behind: about 30 KB each. */
const leastChanges = 64;
/** How long nothing was added or removed, and little was done, in ms. */
const quietMs = 2_000;
/** The most CPU time within {@link quietMs} of a process that does little, in ms. */
const maxBusyMs = 500;

export interface GarbageCollectionParts {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Returns the CPU time of this process so far, in ms. */
  readonly cpuMs: () => number;
  /** Collects all garbage, for which everything else waits. */
  readonly collect: () => void;
}

/**
 * Collects garbage once after many sessions were started or removed, when the daemon has little to do. V8 would do that
 * only when the heap has grown further, which that of an idle daemon does not.
 */
export class GarbageCollection implements Disposable {
  readonly #parts: GarbageCollectionParts;
  #changes = 0;
  #timer: Disposable | null = null;

  constructor(parts: GarbageCollectionParts) {
    this.#parts = parts;
  }

  /** Must be called when a session was added or removed. */
  noteChange(): void {
    this.#changes++;
    if (this.#changes < leastChanges) return;
    this.dispose();
    this.#waitForQuiet();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
  }

  #waitForQuiet(): void {
    const { clock, cpuMs, collect } = this.#parts;
    const before = cpuMs();
    this.#timer = clock.schedule(quietMs, () => {
      if (cpuMs() - before > maxBusyMs) {
        this.#waitForQuiet();
        return;
      }
      this.#timer = null;
      this.#changes = 0;
      collect();
    });
  }
}

/**
 * Collects all garbage of this process, and gives the memory back. `gc()` of V8 would need a flag, and leaves most pages
 * of the heap where they are.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => session.disconnect());
}

/** The CPU time of this process, in ms. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
