import { type Color, paletteRgb, type Style } from '#model';
import { legible } from '../look/contrast.ts';

/** Colours that differ from those of the theme, which the program set (OSC 4, 10, 11; DECSCNM). */
export interface ProgramColors {
  readonly palette: Readonly<Record<number, number>>;
  readonly foreground: number | null;
  readonly background: number | null;
  readonly reverseVideo: boolean;
}

const css = (rgb: number): string => `#${rgb.toString(16).padStart(6, '0')}`;

/** The colours of a theme, by the names of the variables of the style sheet. */
export interface Theme {
  /** Returns a colour as 0xRRGGBB. */
  rgb(name: string): number;
}

const cache = new Map<string, number>();
/** Text colours that were made readable, by text and background, in the theme of the page. */
const adjusted = new Map<string, string>();
const maxAdjusted = 4_096;

/** The theme of the page, as its style sheet has it. */
const pageTheme: Theme = {
  rgb(name) {
    let rgb = cache.get(name);
    if (rgb === undefined) {
      const style = getComputedStyle(document.documentElement);
      rgb = Number.parseInt(style.getPropertyValue(`--${name}`).trim().slice(1), 16) || 0;
      cache.set(name, rgb);
    }
    return rgb;
  },
};

/** The page has another theme. */
export function forgetTheme(): void {
  cache.clear();
  adjusted.clear();
}

/**
 * Returns the CSS colour of a cell. The theme has the first 16 of the palette: for text as `--c0` to `--c15`, for
 * backgrounds as `--b0` to `--b15`.
 */
function cssColor(color: Color, program: ProgramColors, as: 'b' | 'c'): string | null {
  if (typeof color === 'string' || color === null) return color;
  const set = program.palette[color];
  if (set !== undefined) return css(set);
  return color < 16 ? `var(--${as}${color})` : css(paletteRgb(color));
}

export interface CellColors {
  /** CSS colours; null for those of the page. */
  readonly front: string | null;
  readonly back: string | null;
}

/**
 * Boxes, blocks, braille and the signs of prompt themes: pictures, and edges that continue a background. Their colours
 * stay as they are.
 */
const drawing = /^[\s\u2500-\u259f\u2800-\u28ff\ue0a0-\ue0d7]+$/;
/** Lines of boxes. On a background of the theme, they have the colour of text beside them. */
const lines = /^[\s\u2500-\u257f]+$/;
const ofTheme = /^var\(--[bc]\d/;

/** Returns the colours in which cells are drawn, after inversion, so that their text can be read. */
export function cellColors(
  style: Style,
  program: ProgramColors,
  text: string,
  theme: Theme = pageTheme,
): CellColors {
  const colors = inverted(style, program);
  // Text of one colour on itself is meant to be hidden.
  if (style.fg !== null && style.fg === style.bg) return { front: colors.back, back: colors.back };
  const isLine = lines.test(text) && ofTheme.test(colors.back ?? '');
  const isOwn = colors.front !== null && !ofTheme.test(colors.front);
  return drawing.test(text) && (!isLine || isOwn) ? colors : readable(colors, program, theme);
}

function inverted({ fg, bg, inverse }: Style, program: ProgramColors): CellColors {
  const front = cssColor(fg, program, 'c');
  if (inverse === program.reverseVideo) return { front, back: cssColor(bg, program, 'b') };
  const { foreground, background } = program;
  const page = background === null ? 'var(--back)' : css(background);
  return {
    front: cssColor(bg, program, 'c') ?? page,
    back: front ?? (foreground === null ? 'var(--front)' : css(foreground)),
  };
}

/** Colours of the theme that can be read on the page in both themes (theme.test.ts). */
const readableOnPage = /^var\(--c(?:[1-9]|1[0-4])\)$/;

/** Changes the colour of text as far as it must be to be read on its background, and keeps its hue. */
function readable(colors: CellColors, program: ProgramColors, theme: Theme): CellColors {
  const { front, back } = colors;
  const isOnPage = back === null && program.background === null;
  const isOfPage = front === null && program.foreground === null;
  if (isOnPage && (isOfPage || (front !== null && readableOnPage.test(front)))) return colors;
  const text = front ?? (program.foreground === null ? 'var(--front)' : css(program.foreground));
  const under = back ?? (program.background === null ? 'var(--back)' : css(program.background));
  const read = readableText(text, under, theme);
  return read === text ? colors : { front: read, back };
}

function readableText(text: string, under: string, theme: Theme): string {
  const isOfPage = theme === pageTheme;
  const key = `${text} ${under}`;
  const before = isOfPage ? adjusted.get(key) : undefined;
  if (before !== undefined) return before;
  const rgbOf = (color: string): number => {
    const name = /^var\(--(\w+)\)$/.exec(color)?.[1];
    return name === undefined ? Number.parseInt(color.slice(1), 16) : theme.rgb(name);
  };
  const front = rgbOf(text);
  const ground = rgbOf(under);
  const rgb = legible(front, ground);
  const page = theme.rgb('back');
  // Where a program has a ground as in the other theme, its usual text is not paler than what it colours.
  const isOtherWay = rgb !== front && text === 'var(--front)' && legible(page, ground) === page;
  const read = rgb === front ? text : isOtherWay ? 'var(--back)' : css(rgb);
  if (adjusted.size >= maxAdjusted) adjusted.clear();
  if (isOfPage) adjusted.set(key, read);
  return read;
}

/** Returns the colours of the whole screen; null for those of the page. */
export function screenColors(program: ProgramColors, theme: Theme = pageTheme): CellColors {
  const { foreground, background, reverseVideo } = program;
  const front = foreground === null ? null : css(foreground);
  const back = background === null ? null : css(background);
  const colors = reverseVideo
    ? { front: back ?? 'var(--back)', back: front ?? 'var(--front)' }
    : { front, back };
  return readable(colors, program, theme);
}
