import { VtrError } from '../errors.ts';
import { maxSide, type Size } from './size.ts';

/** The mouse events that the program requested: modes 9, 1000, 1002, 1003. */
export type MouseTracking = 'none' | 'x10' | 'normal' | 'button' | 'any';

/** The encoding of mouse reports: modes 1005, 1006, 1015, 1016. */
export type MouseEncoding = 'default' | 'utf8' | 'sgr' | 'urxvt' | 'sgrPixels';

export const mouseButtons = ['left', 'middle', 'right', 'back', 'forward', 'none'] as const;

export type MouseButton = (typeof mouseButtons)[number];

export const mouseActions = [
  'press',
  'release',
  'move',
  'scrollUp',
  'scrollDown',
  'scrollLeft',
  'scrollRight',
] as const;

export type MouseAction = (typeof mouseActions)[number];

/** An event of the mouse over the screen. */
export interface MouseInput {
  readonly action: MouseAction;
  /**
   * For `press`, `release` and `move`: the button that changed or is held. Default: `left`; for
   * `move` `none`. A release of `none` is one of an unknown button.
   */
  readonly button?: MouseButton;
  /** 0-based, below the number of rows. */
  readonly row: number;
  /** 0-based, below the number of columns. */
  readonly col: number;
  readonly shift?: boolean;
  readonly alt?: boolean;
  readonly ctrl?: boolean;
}

/** A match in a row of the screen. */
export interface ScreenMatch {
  /** 0-based. */
  readonly row: number;
  /** 0-based. */
  readonly col: number;
  /** The columns it takes. */
  readonly cols: number;
  readonly text: string;
}

const largest: Size = { cols: maxSide, rows: maxSide };

/**
 * Returns the event if it is on a screen of this size; default: of any size.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkMouseInput(event: MouseInput, size: Size = largest): MouseInput {
  const { action, button = 'left' } = event;
  if (!mouseActions.includes(action)) throw unknown('action', action, mouseActions);
  if (!mouseButtons.includes(button)) throw unknown('button', button, mouseButtons);
  if (action === 'press' && button === 'none') {
    throw new VtrError('INVALID_ARGUMENT', 'a press of the mouse needs a button');
  }
  checkPlace('row', event.row, size.rows);
  checkPlace('col', event.col, size.cols);
  return event;
}

function unknown(what: string, value: unknown, known: readonly string[]): VtrError {
  return new VtrError(
    'INVALID_ARGUMENT',
    `the mouse has no ${what} ${JSON.stringify(value)}; use ${known.join(', ')}`,
  );
}

function checkPlace(what: 'row' | 'col', value: number, count: number): void {
  if (Number.isInteger(value) && value >= 0 && value < count) return;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${what} ${value} is not on the screen, whose ${what}s are 0 to ${count - 1}`,
    { details: { [what]: value, count } },
  );
}
