/** The result of {@link yardstickMs} on the idle machine for which bounds are given. */
const usualYardstickMs = 9;
const samples = 15;

/** The duration of a reference task: millions of writes to an array of the size of a screen. */
function yardstickMs(): number {
  const cells = new Int32Array(10_000);
  const begin = performance.now();
  for (let at = 0, value = 1; at < 4_000_000; at++) {
    value = (Math.imul(value, 31) + at) | 0;
    cells[(value >>> 8) % cells.length] = value;
  }
  return performance.now() - begin;
}

/** The factor by which work takes longer than on an idle machine; at least 1. */
export function slowness(): number {
  const times = Array.from({ length: samples }, yardstickMs).sort((a, b) => a - b);
  return Math.max(1, (times[samples >> 1] ?? 0) / usualYardstickMs);
}
