const factor = Number(process.env['VTR_TEST_RUNS'] ?? 1);

/** How often a property is tried: `count` times in `npm test`, a multiple in `npm run soak`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: count * factor };
}
