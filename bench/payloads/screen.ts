/** The screen of a payload: its cursor and its margins stay inside. */
export interface Screen {
  readonly cols: number;
  readonly rows: number;
}
