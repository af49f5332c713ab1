import { directions, safeLink } from '#base';
import { type Cell, type Cursor, isSameStyle, type Style } from '#model';
import { firstShape, type Polygon, shapeOf } from '#shapes';
import {
  type CellColors,
  cellColors,
  cellHeight,
  cellWidth,
  type PictureColors,
} from '../screen-picture.ts';
import { decorations, isDecorated } from '../shapes/decorations.ts';

/** What a row consists of, in SVG, with its left upper corner at 0,0. */
export interface RowMarkup {
  /** Backgrounds, boxes and lines. */
  readonly drawing: string;
  /** A text element; empty for an empty row. */
  readonly text: string;
}

/** @param cursor set if it is in this row */
export function rowMarkup(
  cells: readonly Cell[],
  colors: PictureColors,
  cursor: Cursor | null,
): RowMarkup {
  const runs = rowRuns(withCursor(cells, cursor, colors), colors);
  const backgrounds = runs
    .filter((run) => run.colors.background !== colors.background)
    .map(({ col, cols, colors: { background } }) => {
      return `<rect x="${col * cellWidth}" width="${cols * cellWidth}" height="${cellHeight}" fill="${hex(background)}"/>`;
    });
  const shapes = runs.flatMap((run) => (run.isShapes ? shapePaths(run) : []));
  const lines = runs.flatMap((run) => (isDecorated(run.style) ? linePaths(run) : []));
  const text = runs.map(runText).join('');
  return {
    drawing: [...backgrounds, ...shapes, ...lines, ...cursorPart(cursor, colors)].join(''),
    text: text === '' ? '' : `<text y="${baseline}">${text}</text>`,
  };
}

/** The character under a block has the colour of the background. */
function withCursor(
  cells: readonly Cell[],
  cursor: Cursor | null,
  colors: PictureColors,
): readonly Cell[] {
  const cell = cursor?.shape === 'block' ? cells[cursor.col] : undefined;
  if (cursor === null || cell === undefined) return cells;
  const { background } = cellColors(cell.style, colors);
  const style = { ...cell.style, inverse: false, fg: hex(background), bg: hex(colors.cursor) };
  const changed = { ...cell, style: style as Cell['style'] };
  return cells.map((each, col) => (col === cursor.col ? changed : each));
}

function cursorPart(cursor: Cursor | null, colors: PictureColors): string[] {
  if (cursor === null || cursor.shape === 'block') return [];
  const isBar = cursor.shape === 'bar';
  const [width, height] = isBar ? [2, cellHeight] : [cellWidth, 2];
  const y = cellHeight - height;
  return [
    `<rect x="${cursor.col * cellWidth}" y="${y}" width="${width}" height="${height}" fill="${hex(colors.cursor)}"/>`,
  ];
}

function shapePaths({ col, cols, text, colors }: RowRun): string[] {
  const characters = [...text];
  const width = (cols / characters.length) * cellWidth;
  const byShare = new Map<number, string>();
  characters.forEach((character, at) => {
    const shape = shapeOf(character, { width, height: cellHeight });
    if (shape === null) return;
    const { polygons, share = 1 } = shape;
    const path = pathOf(polygons, col * cellWidth + at * width);
    byShare.set(share, (byShare.get(share) ?? '') + path);
  });
  return [...byShare].map(([share, path]) => {
    const opacity = share === 1 ? '' : ` fill-opacity="${share}"`;
    return `<path d="${path}" fill="${hex(colors.text)}"${opacity}/>`;
  });
}

function linePaths({ col, cols, style, colors }: RowRun): string[] {
  const box = { width: cols * cellWidth, height: cellHeight, scale: 1 };
  return decorations(style, colors, box).map(({ polygons, color }) => {
    return `<path d="${pathOf(polygons, col * cellWidth)}" fill="${hex(color)}"/>`;
  });
}

const pathOf = (polygons: readonly Polygon[], x: number): string =>
  polygons
    .map(
      (points) => `M${points.map((point) => `${short(point.x + x)} ${short(point.y)}`).join('L')}Z`,
    )
    .join('');

const short = (value: number): string => String(Math.round(value * 100) / 100);

function runText({ col, cols, text, style, colors, isShapes }: RowRun): string {
  const place = ` x="${col * cellWidth}" textLength="${cols * cellWidth}"`;
  // A shape is text that is not seen, so that it can be copied.
  const fill = isShapes || style.hidden ? 'none' : hex(colors.text);
  const weight = style.bold ? ' font-weight="bold"' : '';
  const slant = style.italic ? ' font-style="italic"' : '';
  const span = `<tspan${place} fill="${fill}"${weight}${slant}>${escaped(text)}</tspan>`;
  const link = safeLink(style.link, 'browser');
  return link === null ? span : `<a href="${escaped(link)}">${span}</a>`;
}

/** Neighbouring cells of a row that look the same and take as many columns each. */
export interface RowRun {
  readonly col: number;
  readonly cols: number;
  readonly text: string;
  readonly style: Style;
  readonly colors: CellColors;
  /** Whether its characters are drawn as shapes. */
  readonly isShapes: boolean;
}

/** Returns a row as runs, without trailing blanks in plain style. */
export function rowRuns(cells: readonly Cell[], colors: PictureColors): RowRun[] {
  const runs: RowRun[] = [];
  let width = 0;
  cells.forEach((cell, col) => {
    if (cell.width === 0) return;
    const isShapes = isShape(cell.text);
    const last = runs.at(-1);
    if (
      last !== undefined &&
      last.isShapes === isShapes &&
      width === cell.width &&
      isSameStyle(last.style, cell.style)
    ) {
      runs[runs.length - 1] = {
        ...last,
        cols: last.cols + cell.width,
        text: last.text + cell.text,
      };
    } else {
      const { text, style } = cell;
      const run = { col, cols: cell.width, text, style, isShapes };
      runs.push({ ...run, colors: cellColors(style, colors) });
    }
    width = cell.width;
  });
  const last = runs.at(-1);
  if (last !== undefined && isBlank(last, colors)) runs.pop();
  return runs;
}

const isShape = (text: string): boolean =>
  (text.codePointAt(0) ?? 0) >= firstShape && shapeOf(text, { width: 10, height: 20 }) !== null;

function isBlank({ text, style, colors: { background } }: RowRun, colors: PictureColors): boolean {
  if (text.trim() !== '' || background !== colors.background) return false;
  return style.underline === 'none' && !style.strikethrough && !style.overline;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Escapes text for XML and HTML. Characters that XML 1.0 does not allow are replaced by U+FFFD. Those that change the
 * direction of text are removed: a browser would move the cells after them, and show another screen.
 *
 * https://www.w3.org/TR/xml/#charsets
 */
export const escaped = (text: string): string =>
  text
    .replace(directions, '')
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"]/g, (each) => escapes[each] ?? each);

/** Returns a colour as `#rrggbb`. */
export const hex = (rgb: number): string => `#${rgb.toString(16).padStart(6, '0')}`;

/** Fonts of the same width as far as possible; the first is that of bitmaps. */
export const fontFamily =
  "'JetBrains Mono','Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace";

/** At this size, characters of these fonts are ten pixels wide, or nearly. */
export const fontSize = 16.6;

/** From the top of a cell. */
const baseline = 15.4;
