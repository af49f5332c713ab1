/** Cuts `bytes` at the given offsets, in any order; offsets past the end are ignored. */
export function chunksOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const inside = cuts.filter((at) => at > 0 && at < bytes.length);
  const ends = [...new Set(inside), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
