import { safeLink } from '#base';
import { cellHeight, cellWidth, type ScreenPicture } from '../screen-picture.ts';
import {
  escaped,
  fontFamily,
  fontSize,
  hex,
  type RowRun,
  rowMarkup,
  rowRuns,
} from './row-markup.ts';

/**
 * Returns a picture, or lines, as an HTML document without scripts. Its text can be copied.
 *
 * The first line begins below the tag: a browser leaves out a line feed behind it (HTML, 13.2.6.4.7),
 * which would be that of an empty first line.
 */
export function htmlOf({ size, rows, cursor, colors }: ScreenPicture, title: string): string {
  const { foreground, background } = colors;
  const [width, height] = [size.cols * cellWidth, size.rows * cellHeight];
  const drawings = rows.map((cells, row) => {
    const shown = cursor?.visible && cursor.row === row ? cursor : null;
    const { drawing } = rowMarkup(cells, colors, shown);
    return drawing === '' ? '' : `<g transform="translate(0 ${row * cellHeight})">${drawing}</g>\n`;
  });
  const lines = rows.map((cells) => rowRuns(cells, colors).map(runHtml).join(''));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>
body{margin:0;padding:10px;background:${hex(background)};color:${hex(foreground)}}
div{position:relative;width:${width}px}
svg{position:absolute;left:0;top:0}
pre{position:relative;margin:0;font:${fontSize}px/${cellHeight}px ${fontFamily};font-variant-ligatures:none}
span{display:inline-block;white-space:pre;vertical-align:top}
a{color:inherit}
</style>
</head>
<body>
<div>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" aria-hidden="true">
${drawings.join('')}</svg>
<pre>
${lines.join('\n')}</pre>
</div>
</body>
</html>
`;
}

/** Each run has the width of its columns, so that the next one begins in its column with any font. */
function runHtml({ cols, text, style, colors, isShapes }: RowRun): string {
  const rules = [
    `width:${cols * cellWidth}px`,
    isShapes || style.hidden ? 'color:transparent' : `color:${hex(colors.text)}`,
    ...(style.bold ? ['font-weight:bold'] : []),
    ...(style.italic ? ['font-style:italic'] : []),
  ];
  const span = `<span style="${rules.join(';')}">${escaped(text)}</span>`;
  const link = safeLink(style.link, 'browser');
  return link === null ? span : `<a href="${escaped(link)}" rel="noreferrer">${span}</a>`;
}
