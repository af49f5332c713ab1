/**
 * Something that can be measured again and again. It lives in a process of its own, so that neither
 * what the compiler learnt from another nor another's heap is in its way.
 */
export interface Task<Cost> {
  /** Does it `passes` times, and says what all of them together cost. */
  round(passes: number): Cost | Promise<Cost>;
  /** Ends what it started; called once, after the last round. */
  close?(): Promise<void>;
}

/** Seconds of CPU time, or by the clock, as the task says. */
export interface TimeCost {
  readonly seconds: number;
}

export interface MemoryCost {
  /** JavaScript's heap and the buffers outside of it. */
  readonly heapBytes: number;
  /** What the process has in physical memory. */
  readonly residentBytes: number;
}

/** CPU time of all threads of the process, compiler and garbage collector among them. */
export function cpuTimeOf(work: () => void): TimeCost {
  globalThis.gc?.();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6 };
}

/** What is more in use after the work than before; `work` returns what must be kept for that. */
export function memoryCostOf(work: () => unknown): MemoryCost {
  const before = settledMemory();
  const kept = work();
  const after = settledMemory();
  if (kept === undefined) throw new Error('nothing was kept that could be measured');
  return {
    heapBytes: after.heapBytes - before.heapBytes,
    residentBytes: after.residentBytes - before.residentBytes,
  };
}

export function settledMemory(): MemoryCost {
  // The second time takes what the first one made free.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss };
}
