/** A part of the screen: 0-based rows and columns, the last ones included. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}
