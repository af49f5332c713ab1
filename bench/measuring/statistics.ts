const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** The middle value; of an even number the mean of the two in the middle. */
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
 * How many times as much the one cost as the other: the median of the rounds, each compared with its
 * own, so that what the machine did beside falls on both.
 */
export const medianRatio = (dividend: readonly number[], divisor: readonly number[]): number =>
  median(dividend.map((value, round) => value / (divisor[round] ?? Number.NaN)));
