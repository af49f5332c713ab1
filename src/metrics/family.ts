/** Label names and their values. They must be few: each combination is a time series. */
export type Labels = Readonly<Record<string, string>>;

/** A number with its labels. */
export interface Point {
  readonly labels: Labels;
  readonly value: number;
}

/** A distribution with its labels. */
export interface HistogramPoint {
  readonly labels: Labels;
  /** How many values were at most `le`, in rising order; the last `le` is null: infinity. */
  readonly buckets: readonly { readonly le: number | null; readonly count: number }[];
  readonly sum: number;
}

/** Counts values by size, without memory for each. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** How many values are in each bucket and in none below it; the last has no bound. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the largest value of each bucket, rising */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    (this.#counts[index] as number)++;
    this.#sum += value;
  }

  point(labels: Labels): HistogramPoint {
    let count = 0;
    const buckets = this.#counts.map((each, index) => {
      count += each;
      return { le: this.#bounds[index] ?? null, count };
    });
    return { labels, buckets, sum: this.#sum };
  }
}

interface Described {
  /** The name of the family: without `_total` and `_info`, with its unit at the end. */
  readonly name: string;
  readonly help: string;
  readonly unit?: 'seconds' | 'bytes';
}

interface Counted extends Described {
  /** Since when is counted, in ms since 1970. */
  readonly createdAtMs: number;
}

/** The metrics of one name (OpenMetrics 1.0, "MetricFamily"), with the types that vtr has. */
export type MetricFamily =
  | (Described & {
      readonly type: 'gauge' | 'info' | 'stateset';
      readonly points: readonly Point[];
    })
  | (Counted & { readonly type: 'counter'; readonly points: readonly Point[] })
  | (Counted & { readonly type: 'histogram'; readonly points: readonly HistogramPoint[] });

/** Returns a family whose points are of several coordinators, told apart by a label. */
export function mergedFamilies(
  label: string,
  parts: readonly { readonly value: string; readonly families: readonly MetricFamily[] }[],
): MetricFamily[] {
  const merged = new Map<string, MetricFamily>();
  for (const { value, families } of parts) {
    for (const family of families) {
      const samples = merged.get(family.name);
      // Another version may have another type for the name: its points would be taken for something else.
      if (samples !== undefined && samples.type !== family.type) continue;
      const before: readonly (Point | HistogramPoint)[] = samples?.points ?? [];
      const own: readonly (Point | HistogramPoint)[] = family.points;
      const points = own.map((point) => ({
        ...point,
        labels: { [label]: value, ...point.labels },
      }));
      merged.set(family.name, {
        ...(samples ?? family),
        points: [...before, ...points],
      } as MetricFamily);
    }
  }
  return [...merged.values()];
}
