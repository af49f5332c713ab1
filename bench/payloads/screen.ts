/** The screen that a payload is made for: where it moves the cursor and sets margins. */
export interface Screen {
  readonly cols: number;
  readonly rows: number;
}
