/**
 * Something that can be measured again and again. It lives in a process of its own, so that neither
 * what the compiler learnt from another nor another's heap is in its way.
 */
export interface Task<Cost> {
  /** Does it `passes` times, and says what all of them together cost. */
  round(passes: number): Cost;
}

/** CPU time of all threads of the process, compiler and garbage collector among them. */
export interface CpuCost {
  readonly cpuSeconds: number;
}

export interface MemoryCost {
  /** JavaScript's heap and the buffers outside of it. */
  readonly heapBytes: number;
  /** What the process has in physical memory. */
  readonly residentBytes: number;
}

export function cpuCostOf(work: () => void): CpuCost {
  globalThis.gc?.();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return { cpuSeconds: (user + system) / 1e6 };
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

function settledMemory(): MemoryCost {
  // The second time takes what the first one made free.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss };
}
