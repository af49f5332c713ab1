/** A place in a grid: a column, and a row counted from the oldest one. */
export interface Place {
  readonly x: number;
  readonly y: number;
}
