import {
  type Cell,
  type Cursor,
  defaultBackgroundRgb,
  defaultForegroundRgb,
  paletteRgb,
  type Size,
  type Style,
  type ViewModes,
} from '#model';

/** Colours as 0xRRGGBB. */
export interface PictureColors {
  readonly foreground: number;
  readonly background: number;
  readonly cursor: number;
  /** Entries 0 to 255. */
  readonly palette: readonly number[];
}

/** A screen, or lines, to make a picture of. */
export interface ScreenPicture {
  readonly size: Size;
  /** One array per row of the size, with one cell per column. */
  readonly rows: readonly (readonly Cell[])[];
  /** Null if none is shown. */
  readonly cursor: Cursor | null;
  readonly colors: PictureColors;
}

/** Default colours of a recording or of a person. */
export interface Theme {
  readonly foreground: number;
  readonly background: number;
  /** The first entries, 8 or 16. */
  readonly palette: readonly number[];
  /** Default: the foreground. */
  readonly cursor?: number;
}

/**
 * Returns the colours of a picture: those that the program set, else those of the theme, else xterm's, as
 * all of vtr has them.
 */
export function pictureColors(
  set?: Pick<ViewModes, 'palette' | 'foreground' | 'background' | 'cursorColor' | 'reverseVideo'>,
  theme?: Theme,
): PictureColors {
  const front = set?.foreground ?? theme?.foreground ?? defaultForegroundRgb;
  const back = set?.background ?? theme?.background ?? defaultBackgroundRgb;
  const [foreground, background] = set?.reverseVideo ? [back, front] : [front, back];
  return {
    foreground,
    background,
    cursor: set?.cursorColor ?? theme?.cursor ?? foreground,
    palette: Array.from({ length: 256 }, (_, at) => {
      return set?.palette[at] ?? theme?.palette[at] ?? paletteRgb(at);
    }),
  };
}

/** The colours of a cell as they are drawn, as 0xRRGGBB. */
export interface CellColors {
  readonly text: number;
  readonly background: number;
  /** The colour of the underline. */
  readonly underline: number;
}

/** How much of the text colour of dim text is left. */
const dimmed = 0.6;

export function cellColors(style: Style, colors: PictureColors): CellColors {
  const front = rgb(style.fg, colors, colors.foreground);
  const back = rgb(style.bg, colors, colors.background);
  const [shown, background] = style.inverse ? [back, front] : [front, back];
  const lit = style.dim ? mixed(shown, background, dimmed) : shown;
  const text = style.hidden ? background : lit;
  const underline = style.underlineColor === null ? text : rgb(style.underlineColor, colors, text);
  return { text, background, underline };
}

function rgb(color: Style['fg'], { palette }: PictureColors, none: number): number {
  if (color === null) return none;
  if (typeof color === 'number') return palette[color] ?? none;
  return Number.parseInt(color.slice(1), 16);
}

/** Returns a colour between two: `share` of the first, the rest of the second. */
export function mixed(a: number, b: number, share: number): number {
  const part = (shift: number) => {
    const [x, y] = [(a >> shift) & 0xff, (b >> shift) & 0xff];
    return Math.round(x * share + y * (1 - share)) << shift;
  };
  return part(16) | part(8) | part(0);
}

/** A cell is drawn in pixels of this size, times the scale. */
export const cellWidth = 10;
export const cellHeight = 20;

/** A picture and its time. */
export interface TimedPicture {
  readonly atMs: number;
  readonly picture: ScreenPicture;
}

/**
 * Returns the newest picture of each interval.
 *
 * @param minFrameMs pictures that follow each other faster are not shown; default about 30 a second
 */
export function* paced(pictures: Iterable<TimedPicture>, minFrameMs = 33): Generator<TimedPicture> {
  let next: TimedPicture | null = null;
  for (const each of pictures) {
    if (next !== null && each.atMs - next.atMs < minFrameMs) {
      next = { atMs: next.atMs, picture: each.picture };
      continue;
    }
    if (next !== null) yield next;
    next = each;
  }
  if (next !== null) yield next;
}
