import { cellHeight, cellWidth, type ScreenPicture } from '../screen-picture.ts';
import { fontFamily, fontSize, hex } from './markup.ts';
import { rowMarkup } from './row-markup.ts';

/** Space around the screen, in pixels. */
const margin = 10;

/**
 * Returns a picture as SVG. Its text can be selected; the viewer's fonts show it. Boxes and blocks are
 * paths, so that they join with any font.
 */
export function svgOf({ size, rows, cursor, colors }: ScreenPicture): string {
  const content = rows.map((cells, row) => {
    const shown = cursor?.visible && cursor.row === row ? cursor : null;
    const { drawing, text } = rowMarkup(cells, colors, shown);
    if (drawing === '' && text === '') return '';
    return `<g transform="translate(0 ${row * cellHeight})">${drawing}${text}</g>\n`;
  });
  return svgDocument(size, colors.background, content.join(''));
}

/** @param content in the coordinates of the screen */
export function svgDocument(
  { cols, rows }: ScreenPicture['size'],
  background: number,
  content: string,
  style = '',
): string {
  const [width, height] = [cols * cellWidth + 2 * margin, rows * cellHeight + 2 * margin];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n`,
    '<title>A terminal</title>\n',
    `<style>text{white-space:pre;font:${fontSize}px ${fontFamily}}${style}</style>\n`,
    `<rect width="${width}" height="${height}" rx="6" fill="${hex(background)}"/>\n`,
    `<g transform="translate(${margin} ${margin})">\n${content}</g>\n</svg>\n`,
  ].join('');
}
