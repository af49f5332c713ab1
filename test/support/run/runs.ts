const factor = Number(process.env['VTR_TEST_RUNS'] ?? 1);

/** The number of inputs of a property: `count` in `npm test`, a multiple of it in `npm run soak`. */
export function runs(count: number): { numRuns: number } {
  return { numRuns: count * factor };
}
