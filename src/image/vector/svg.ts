import {
  cellHeight,
  cellWidth,
  type PictureColors,
  type ScreenPicture,
} from '../screen-picture.ts';
import { layoutOf, ringWidth, type Surround } from '../surround/surround.ts';
import { fontFamily, fontSize, hex } from './markup.ts';
import { rowMarkup } from './row-markup.ts';

/** What is around the screen, if nothing else is chosen. */
const plain: Surround = { padding: 10, bar: null, radius: 6, margin: 0, marginColor: null };

/**
 * Returns a picture as SVG. Its text can be selected; the viewer's fonts show it. Boxes and blocks are
 * paths, so that they join with any font.
 */
export function svgOf(
  { size, rows, cursor, colors }: ScreenPicture,
  surround: Surround = plain,
): string {
  const content = rows.map((cells, row) => {
    const shown = cursor?.visible && cursor.row === row ? cursor : null;
    const { drawing, text } = rowMarkup(cells, colors, shown);
    if (drawing === '' && text === '') return '';
    return `<g transform="translate(0 ${row * cellHeight})">${drawing}${text}</g>\n`;
  });
  return svgDocument({ size, colors, surround, content: content.join('') });
}

interface SvgParts extends Pick<ScreenPicture, 'size' | 'colors'> {
  readonly surround?: Surround | undefined;
  /** In the coordinates of the screen. */
  readonly content: string;
  /** Rules of the style sheet. */
  readonly style?: string;
}

export function svgDocument({
  size,
  colors,
  surround = plain,
  content,
  style = '',
}: SvgParts): string {
  const screen = { width: size.cols * cellWidth, height: size.rows * cellHeight };
  const layout = layoutOf(surround, screen, colors, 1);
  const { width, height } = layout;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`,
    '<title>A terminal</title>\n',
    `<style>text{white-space:pre;font:${fontSize}px ${fontFamily}}${style}</style>\n`,
    windowMarkup(layout, surround, colors),
    `<g transform="translate(${layout.screen.x} ${layout.screen.y})">\n${content}</g>\n</svg>\n`,
  ].join('');
}

function windowMarkup(
  { width, height, window, buttons }: ReturnType<typeof layoutOf>,
  { margin, marginColor }: Surround,
  { background }: PictureColors,
): string {
  const place = margin === 0 ? '' : `x="${window.x}" y="${window.y}" `;
  const sides = (of: { readonly width: number; readonly height: number }) =>
    `width="${of.width}" height="${of.height}"`;
  // Without a colour of the margin, what is behind the picture is seen.
  const behind =
    marginColor === null ? '' : `<rect ${sides({ width, height })} fill="${hex(marginColor)}"/>\n`;
  const discs = buttons.map(({ centre: { x, y }, radius, color, isRing }) => {
    const thickness = radius * ringWidth;
    const look = isRing
      ? `r="${radius - thickness / 2}" fill="none" stroke="${hex(color)}" stroke-width="${thickness}"`
      : `r="${radius}" fill="${hex(color)}"`;
    return `<circle cx="${x}" cy="${y}" ${look}/>\n`;
  });
  const box = `<rect ${place}${sides(window)} rx="${window.radius}" fill="${hex(background)}"/>\n`;
  return [behind, box, ...discs].join('');
}
