import type { PictureColors, Scale, ScreenPicture, Surround, Theme } from '#image';
import { type Cell, type Size, type SnapshotEvent, VtrError } from '#model';
import { type Reader, type ScreenCells, Terminal } from '#vt';

/** The code of pictures, which is loaded when it is needed. */
export const loadImage = () => import('#image');

export type Image = Awaited<ReturnType<typeof loadImage>>;

/** Makes pictures of one terminal. Rows and colours that have not changed are the same objects in each. */
export class TerminalPictures {
  readonly #image: Image;
  readonly #theme: Theme | undefined;
  #cells: ScreenCells | null = null;
  #colors: PictureColors | null = null;
  #palette: unknown = null;
  #reverse = false;

  /** @param theme the colours that the program has not set; default: those of xterm */
  constructor(image: Image, theme?: Theme) {
    this.#image = image;
    this.#theme = theme;
  }

  of(terminal: Terminal): ScreenPicture {
    const { size, cursor } = terminal;
    this.#cells = terminal.screenCells(this.#cells);
    return { size, rows: this.#cells.rows, cursor, colors: this.colors(terminal) };
  }

  /** Returns lines, wrapped to the width of the terminal, as a picture. */
  ofLines(terminal: Terminal, lines: Iterable<Reader>): ScreenPicture {
    const { cols } = terminal.size;
    const rows = [...lines].flatMap((reader) => wrapped(reader.cells(), cols));
    const size = { cols, rows: Math.max(1, rows.length) };
    return { size, rows, cursor: null, colors: this.colors(terminal) };
  }

  colors(terminal: Terminal): PictureColors {
    const { viewModes } = terminal;
    const { palette, reverseVideo } = viewModes;
    const isSame = palette === this.#palette && reverseVideo === this.#reverse;
    if (this.#colors === null || !isSame) {
      this.#colors = this.#image.pictureColors(viewModes, this.#theme);
      [this.#palette, this.#reverse] = [palette, reverseVideo];
    }
    return this.#colors;
  }
}

/** Returns the rows that a line takes in a width; an empty line takes one. */
function wrapped(cells: readonly Cell[], cols: number): Cell[][] {
  let row: Cell[] = [];
  const rows = [row];
  for (const cell of cells) {
    // A wide character is not cut in half; its second half has no width.
    if (row.length + cell.width > cols) {
      row = [];
      rows.push(row);
    }
    row.push(cell);
  }
  return rows;
}

/** How pictures look, of recordings and of screens. */
export interface PictureLook {
  /** Pixels of bitmaps: 10 by 20 for each cell, times this. Default: 1. */
  readonly scale?: Scale | undefined;
  /** Colours that the program has not set. Default: those of the recording, else xterm's. */
  readonly theme?: Theme | undefined;
  /** Used in bitmaps and SVG. Default: none in bitmaps, and a little space in SVG. */
  readonly surround?: Surround | undefined;
}

/** @throws VtrError INVALID_ARGUMENT if the bitmap would be too large */
export function pngOf(
  picture: ScreenPicture,
  { scale = 1, surround }: PictureLook,
  image: Image,
): Uint8Array {
  checkBitmapSize(picture.size, scale);
  const bitmap = image.drawPicture(picture, scale);
  if (surround === undefined) return image.encodePng(bitmap);
  return image.encodePng(image.surrounded(bitmap, surround, picture.colors, scale));
}

/** A bitmap takes four bytes per pixel, and an animation takes two bitmaps. */
const maxMegapixels = 50;

/** @throws VtrError INVALID_ARGUMENT for a bitmap that would take too much memory */
export function checkBitmapSize({ cols, rows }: Size, scale: Scale): void {
  const megapixels = (cols * 10 * scale * rows * 20 * scale) / 1e6;
  if (megapixels <= maxMegapixels) return;
  const size = `${cols}x${rows} cells are ${Math.round(megapixels)} million pixels`;
  const message = `${size}, more than the ${maxMegapixels} million of a bitmap; use svg or html`;
  throw new VtrError('INVALID_ARGUMENT', message);
}

type ScreenshotFormat = 'svg' | 'png' | 'html';

export interface ScreenshotOptions extends PictureLook {
  readonly format: ScreenshotFormat;
  /** The title of the HTML document. */
  readonly title: string;
}

const scrollback = { maxLines: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/**
 * Returns a picture of the screen of a session, with the lines above it that the snapshot contains.
 *
 * @throws VtrError INVALID_ARGUMENT if a bitmap would be too large
 */
export async function screenshotOf(
  { size, firstLine, dump }: Pick<SnapshotEvent, 'size' | 'firstLine' | 'dump'>,
  { format, title, ...look }: ScreenshotOptions,
): Promise<string | Uint8Array> {
  const terminal = new Terminal({ size, firstLine, scrollback });
  terminal.feed(dump);
  const image = await loadImage();
  const picture = withLinesAbove(terminal, new TerminalPictures(image, look.theme));
  if (format === 'svg') return image.svgOf(picture, look.surround);
  if (format === 'html') return image.htmlOf(picture, title);
  return pngOf(picture, look, image);
}

function withLinesAbove(terminal: Terminal, pictures: TerminalPictures): ScreenPicture {
  const screen = pictures.of(terminal);
  const count = terminal.scrollbackRows().length;
  if (count === 0) return screen;
  // A line may begin above the screen and continue on it.
  const above = pictures.ofLines(terminal, allLines(terminal)).rows.slice(0, count);
  const { size, cursor } = screen;
  return {
    ...screen,
    size: { ...size, rows: size.rows + count },
    rows: [...above, ...screen.rows],
    cursor: cursor && { ...cursor, row: cursor.row + count },
  };
}

function* allLines(terminal: Terminal): Generator<Reader> {
  for (const { reader } of terminal.readLines(terminal.firstLine, terminal.topLine + 1)) {
    yield reader;
  }
}
