const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** The median. */
export function median(values: readonly number[]): number {
  const list = sorted(values);
  const middle = list.length >> 1;
  const upper = list[middle] ?? Number.NaN;
  return list.length % 2 === 1 ? upper : ((list[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that `share` of the values do not exceed. @param share 0..1 */
export function percentile(values: readonly number[], share: number): number {
  const list = sorted(values);
  return list[Math.max(0, Math.ceil(share * list.length) - 1)] ?? Number.NaN;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const geometricMean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/**
 * The ratio of two costs: the median of the ratios of the rounds, so that the other load of the machine
 * affects both.
 */
export const medianRatio = (dividend: readonly number[], divisor: readonly number[]): number =>
  median(dividend.map((value, round) => value / (divisor[round] ?? Number.NaN)));
