import type { Plot } from './plot.ts';

/** A cell of a table: text, a figure, or nothing where nothing can be measured. */
export type TableCell = string | number | null;

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
}

/** What the figures were to be. */
export interface Target {
  readonly what: string;
  readonly bound: 'at least' | 'at most';
  /** Now, and in the next step; null where nothing is wanted yet. */
  readonly goal: number | null;
  readonly next: number;
  readonly measured: number;
}

/** A row of the first tables of docs/performance.md. */
export interface Headline {
  readonly what: string;
  /** The contestant of the same run. */
  readonly against: string;
  /** Their time or size to ours: above 1 where vtr is ahead. */
  readonly ratio: number;
  readonly of: 'time' | 'size';
  /** More that the comparison found, such as wrong answers. */
  readonly besides?: string;
}

/** What a benchmark found. */
export interface Report {
  readonly name: string;
  readonly title: string;
  /** How it was measured, a paragraph each. */
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
  readonly headlines?: readonly Headline[];
  readonly plots?: readonly Plot[];
}

export const isMet = (bound: Target['bound'], measured: number, limit: number): boolean =>
  bound === 'at least' ? measured >= limit : measured <= limit;
