/**
 * A task that can be measured repeatedly. It has its own process, so that other tasks do not affect its
 * compiled code and its heap.
 */
export interface Task<Cost> {
  /** Repeats it `passes` times, and returns the total cost. */
  round(passes: number): Cost | Promise<Cost>;
  /** Ends its programs; called once, after the last round. */
  close?(): Promise<void>;
}

/** Seconds of CPU time or of elapsed time, by task. */
export interface TimeCost {
  readonly seconds: number;
}

export interface MemoryCost {
  /** The heap of JavaScript and the buffers outside of it. */
  readonly heapBytes: number;
  /** The resident memory of the process. */
  readonly residentBytes: number;
}

/** CPU time of all threads of the process, including the compiler and the garbage collector. */
export function cpuTimeOf(work: () => void): TimeCost {
  globalThis.gc?.();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6 };
}

/** The growth of memory in use by the work; `work` returns the objects to keep. */
export function memoryCostOf(work: () => unknown): MemoryCost {
  const before = settledMemory();
  const result = work();
  const after = settledMemory();
  if (result === undefined) throw new Error('nothing was kept that could be measured');
  return {
    heapBytes: after.heapBytes - before.heapBytes,
    residentBytes: after.residentBytes - before.residentBytes,
  };
}

export function settledMemory(): MemoryCost {
  // The second collection frees the objects that the first one made unreachable.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss };
}
