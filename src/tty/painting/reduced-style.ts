import { safeLink } from '#base';
import { type Color, isSameStyle, paletteRgb, type Style } from '#model';
import type { Capabilities, ColorDepth } from './capabilities.ts';
import { nearestOf16, nearestOf256 } from './nearest-color.ts';

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
