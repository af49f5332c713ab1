/** What {@link yardstickMs} gives on the machine for which bounds are said, when it does nothing else. */
const usualYardstickMs = 9;
const samples = 15;

/** Work that is always the same: some million writes to an array as large as a screen. */
function yardstickMs(): number {
  const cells = new Int32Array(10_000);
  const begin = performance.now();
  for (let at = 0, value = 1; at < 4_000_000; at++) {
    value = (Math.imul(value, 31) + at) | 0;
    cells[(value >>> 8) % cells.length] = value;
  }
  return performance.now() - begin;
}

/** How many times as long as usual work takes now by the clock, because of what else runs; at least 1. */
export function slowness(): number {
  const times = Array.from({ length: samples }, yardstickMs).sort((a, b) => a - b);
  return Math.max(1, (times[samples >> 1] ?? 0) / usualYardstickMs);
}
