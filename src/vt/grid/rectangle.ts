/** A part of the screen: rows and columns from 0, the last ones included. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
