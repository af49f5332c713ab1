/** The mouse events that the program requested: modes 9, 1000, 1002, 1003. */
export type MouseTracking = 'none' | 'x10' | 'normal' | 'button' | 'any';

/** The encoding of mouse reports: modes 1005, 1006, 1015, 1016. */
export type MouseEncoding = 'default' | 'utf8' | 'sgr' | 'urxvt' | 'sgrPixels';

export type MouseButton = 'left' | 'middle' | 'right' | 'back' | 'forward' | 'none';

export type MouseAction =
  | 'press'
  | 'release'
  | 'move'
  | 'scrollUp'
  | 'scrollDown'
  | 'scrollLeft'
  | 'scrollRight';

/** An event of the mouse over the screen. */
export interface MouseInput {
  readonly action: MouseAction;
  /** For `press`, `release` and `move`: the button that changed or is held. Default: `left`; for `move` `none`. */
  readonly button?: MouseButton;
  /** 0-based, below the number of rows. */
  readonly row: number;
  /** 0-based, below the number of columns. */
  readonly col: number;
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
}
