import { safeLink } from '#base';
import { type Color, isSameStyle, paletteRgb, type Style } from '#model';
import type { Capabilities, ColorDepth } from './capabilities.ts';

/**
 * Returns a style as a terminal can show it: with colours that it has, plain underlines where it
 * knows no others, and links that are safe.
 *
 * @param isReversed whether the picture is in reverse video that the terminal lacks
 */
export function reducedStyle(style: Style, to: Capabilities, isReversed: boolean): Style {
  const isStyled = to.styledUnderlines;
  const reduced = {
    ...style,
    fg: reducedColor(style.fg, to.colors),
    bg: reducedColor(style.bg, to.colors),
    underlineColor: isStyled ? reducedColor(style.underlineColor, to.colors) : null,
    underline: isStyled || style.underline === 'none' ? style.underline : 'single',
    inverse: style.inverse !== isReversed,
    link: to.hyperlinks ? safeLink(style.link, 'terminal') : null,
  } as const;
  return isSameStyle(style, reduced) ? style : reduced;
}

/** Whether more than the background of a blank cell is seen. */
export function hasMarks(style: Style): boolean {
  return (
    style.underline !== 'none' ||
    style.strikethrough ||
    style.overline ||
    style.inverse ||
    style.link !== null
  );
}

function reducedColor(color: Color, depth: ColorDepth): Color {
  if (color === null || depth === 'none') return null;
  if (depth === 'truecolor') return color;
  if (typeof color === 'number') {
    return color < depth ? color : nearestOf16(paletteRgb(color));
  }
  const rgb = Number.parseInt(color.slice(1), 16);
  return depth === 256 ? nearestOf256(rgb) : nearestOf16(rgb);
}

/** The levels of the cube in the palette of 256 colours. */
const levels = [0, 95, 135, 175, 215, 255] as const;
const firstOfCube = 16;
const firstGrey = 232;
const greys = 24;

/**
 * Returns the palette entry, 16..255, that looks most like a colour. The first sixteen are left to
 * the person's theme.
 *
 * @param rgb 0xRRGGBB
 */
function nearestOf256(rgb: number): number {
  const [green, blue] = [nearestLevel((rgb >> 8) & 0xff), nearestLevel(rgb & 0xff)];
  let best = firstOfCube;
  let least = Number.POSITIVE_INFINITY;
  const consider = (index: number) => {
    const distance = redmean(rgb, paletteRgb(index));
    if (distance >= least) return;
    least = distance;
    best = index;
  };
  // The weights depend on red only, so the nearest green and blue are best for each red.
  for (let red = 0; red < levels.length; red++) consider(firstOfCube + 36 * red + 6 * green + blue);
  for (let grey = 0; grey < greys; grey++) consider(firstGrey + grey);
  return best;
}

/** Returns the entry of the first sixteen of xterm's palette that looks most like a colour. */
function nearestOf16(rgb: number): number {
  let best = 0;
  for (let index = 1; index < 16; index++) {
    if (redmean(rgb, paletteRgb(index)) < redmean(rgb, paletteRgb(best))) best = index;
  }
  return best;
}

function nearestLevel(value: number): number {
  let best = 0;
  for (let at = 1; at < levels.length; at++) {
    if (Math.abs(levels[at] - value) < Math.abs(levels[best] - value)) best = at;
  }
  return best;
}

/** The distance of two colours, weighted for the eye (Riemersma, www.compuphase.com/cmetric.htm). */
function redmean(one: number, other: number): number {
  const mean = ((one >> 16) + (other >> 16)) / 2;
  const red = (one >> 16) - (other >> 16);
  const green = ((one >> 8) & 0xff) - ((other >> 8) & 0xff);
  const blue = (one & 0xff) - (other & 0xff);
  return (2 + mean / 256) * red * red + 4 * green * green + (2 + (255 - mean) / 256) * blue * blue;
}
