import type { PictureColors, ScreenPicture, Theme } from '#image';
import type { Cell } from '#model';
import type { Reader, ScreenCells, Terminal } from '#vt';

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
