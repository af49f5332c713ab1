/** A cost, measured for growing counts of something. */
export interface Series {
  /** What grows. */
  readonly of: string;
  /** The cost, with its unit. */
  readonly cost: string;
  /** `flat`: it must not depend on the count. */
  readonly expected: 'flat' | 'linear';
  /** Count and cost, in growing order. */
  readonly points: readonly (readonly [count: number, cost: number])[];
}

/**
 * The exponent e of cost ~ count^e with the least squares in logarithms: 0 is flat, 1 linear, 2 quadratic.
 * NaN for fewer than two points with a cost.
 */
export function exponentOf(points: Series['points']): number {
  const logs = points
    .filter(([, cost]) => cost > 0)
    .map(([count, cost]): [number, number] => [Math.log(count), Math.log(cost)]);
  const mean = (at: 0 | 1) => logs.reduce((sum, each) => sum + each[at], 0) / logs.length;
  const [middle, height] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [x, y]) => sum + (x - middle) * (y - height), 0);
  return above / logs.reduce((sum, [x]) => sum + (x - middle) ** 2, 0);
}

/**
 * The exponent between the two largest counts. A constant part of the cost hides the growth at small
 * counts, but not here.
 */
export const lastExponent = ({ points }: Series): number => exponentOf(points.slice(-2));
