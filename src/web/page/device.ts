/** Whether the page is used with fingers, on a small screen. */
export const isPhone = (): boolean =>
  matchMedia('(pointer: coarse)').matches && Math.min(innerWidth, innerHeight) < 700;

/** Whether the page is used with fingers, also on a tablet. */
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

/** Whether a list has room beside a terminal of 80 columns; in a window of 700 pixels it would cover it (focus/focus.css). */
export const hasRoomBeside = (): boolean => matchMedia('(min-width: 990px)').matches;
