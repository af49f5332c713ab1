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
  readonly wanted: number | null;
  readonly next: number;
  readonly measured: number;
}

/** What a benchmark found. */
export interface Report {
  readonly name: string;
  readonly title: string;
  /** How it was measured, a paragraph each. */
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

export const isMet = (bound: Target['bound'], measured: number, wanted: number): boolean =>
  bound === 'at least' ? measured >= wanted : measured <= wanted;
