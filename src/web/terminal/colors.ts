import { type Color, paletteRgb, type Style } from '#model';

/** Colours that differ from those of the theme, which the program set (OSC 4, 10, 11; DECSCNM). */
export interface ProgramColors {
  readonly palette: Readonly<Record<number, number>>;
  readonly foreground: number | null;
  readonly background: number | null;
  readonly reverseVideo: boolean;
}

const css = (rgb: number): string => `#${rgb.toString(16).padStart(6, '0')}`;

/** Returns the CSS colour of a cell. The theme has the first 16 of the palette, as `--c0` to `--c15`. */
function cssColor(color: Color, program: ProgramColors): string | null {
  if (typeof color === 'string' || color === null) return color;
  const set = program.palette[color];
  if (set !== undefined) return css(set);
  return color < 16 ? `var(--c${color})` : css(paletteRgb(color));
}

export interface CellColors {
  /** CSS colours; null for those of the page. */
  readonly front: string | null;
  readonly back: string | null;
}

/** Returns the colours in which a cell is drawn, after inversion. */
export function cellColors(style: Style, program: ProgramColors): CellColors {
  const front = cssColor(style.fg, program);
  const back = cssColor(style.bg, program);
  if (style.inverse === program.reverseVideo) return readable({ front, back }, program);
  const { foreground, background } = program;
  const inverted = {
    front: back ?? (background === null ? 'var(--back)' : css(background)),
    back: front ?? (foreground === null ? 'var(--front)' : css(foreground)),
  };
  return readable(inverted, program);
}

/** Colours of the theme that can be read on the page, and the page's background on them. */
const inkOfTheme = /^var\(--c(?:[1-9]|1[0-4])\)$/;
const anyOfTheme = /^var\(--c\d+\)$/;
/** The others are backgrounds, of which one cannot be told from the page, and what is written on them. */
const inkOn: Readonly<Record<string, string>> = {
  'var(--c0)': 'var(--ink0)',
  'var(--c15)': 'var(--ink15)',
};
const grey = /^var\(--c(?:0|7|8|15)\)$/;

/**
 * The colours of a theme are all light or all dark: none can be read on another. Text of one colour on itself is
 * meant to be hidden.
 */
function readable(colors: CellColors, program: ProgramColors): CellColors {
  const { front, back } = colors;
  if (back === null || front === back) return colors;
  const isIn = (some: RegExp) => (front === null ? program.foreground === null : some.test(front));
  if (inkOfTheme.test(back)) return isIn(anyOfTheme) ? { front: 'var(--back)', back } : colors;
  const ink = inkOn[back];
  return ink !== undefined && isIn(grey) ? { front: ink, back } : colors;
}

/** Returns the colours of the whole screen; null for those of the page. */
export function screenColors({ foreground, background, reverseVideo }: ProgramColors): CellColors {
  const front = foreground === null ? null : css(foreground);
  const back = background === null ? null : css(background);
  if (!reverseVideo) return { front, back };
  return { front: back ?? 'var(--back)', back: front ?? 'var(--front)' };
}
