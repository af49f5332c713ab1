import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ignored, quoted } from '#base';
import { overwriteInDirectory } from '#config';
import { type Cell, cellsText, ioError, type ScreenSnapshot, styledRuns, VtrError } from '#model';

/** In the directory of what failures leave. */
const ignoreFile = '.gitignore';

const namePattern = /^[\w][\w .-]{0,99}$/;

/** Returns `name` if it can be part of a file name. @throws VtrError INVALID_ARGUMENT */
export function checkGoldenName(name: string): string {
  if (namePattern.test(name)) return name;
  throw new VtrError(
    'INVALID_ARGUMENT',
    `${quoted(name)} is not the name of a golden; use 1 to 100 letters, digits, spaces, . _ or -, of which the first is a letter, a digit or _`,
  );
}

/** The files of a test beside it: its goldens, and what failures leave. */
export class GoldenFiles {
  readonly #testFile: string;
  readonly #directory: string;

  /** @param testFile path of the test */
  constructor(testFile: string) {
    this.#testFile = testFile;
    this.#directory = join(dirname(testFile), '__goldens__');
  }

  path(name: string): string {
    return join(this.#directory, `${this.#base(name)}.txt`);
  }

  /** Null if there is none. */
  async read(name: string): Promise<string | null> {
    try {
      return await readFile(this.path(name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw ioError(this.path(name), 'read', error);
    }
  }

  async write(name: string, text: string): Promise<void> {
    overwriteInDirectory(this.path(name), text);
  }

  /** Leaves files of a failure, by their suffixes. @returns their paths */
  async leave(
    name: string,
    files: Readonly<Record<string, string | Uint8Array>>,
  ): Promise<string[]> {
    const paths: string[] = [];
    for (const [suffix, content] of Object.entries(files)) {
      const path = join(this.#directory, '__failures__', `${this.#base(name)}.${suffix}`);
      overwriteInDirectory(path, content);
      paths.push(path);
    }
    // Nobody commits them.
    overwriteInDirectory(join(this.#directory, '__failures__', ignoreFile), '*\n');
    return paths;
  }

  /** Removes what earlier failures left: of one golden, or of all of the test. */
  async clear(name?: string): Promise<void> {
    const directory = join(this.#directory, '__failures__');
    const begin = name === undefined ? `${basename(this.#testFile)}.` : `${this.#base(name)}.`;
    const left = await readdir(directory).catch(() => []);
    for (const file of left.filter((each) => each.startsWith(begin))) {
      await rm(join(directory, file), { force: true });
    }
    if (left.length === 0) return;
    const others = left.filter((each) => !each.startsWith(begin) && each !== ignoreFile);
    if (others.length === 0) await rm(join(directory, ignoreFile), { force: true });
    await ignored(rmdir(directory), 'it still contains files of other tests');
  }

  /** Returns the paths of goldens of this test that have none of these names. */
  async obsolete(names: readonly string[]): Promise<string[]> {
    const used = new Set(names.map((name) => `${this.#base(name)}.txt`));
    const begin = `${basename(this.#testFile)}.`;
    const files = await readdir(this.#directory).catch(() => []);
    return files
      .filter((file) => file.startsWith(begin) && file.endsWith('.txt') && !used.has(file))
      .map((file) => join(this.#directory, file));
  }

  #base(name: string): string {
    return `${basename(this.#testFile)}.${name.replaceAll(' ', '-')}`;
  }
}

/** A part of the screen; 0-based row and column. */
export interface Region {
  readonly row: number;
  readonly col: number;
  readonly rows: number;
  readonly cols: number;
}

/** A pattern whose matches in a row are not compared. */
export interface Mask {
  findAll(row: string): readonly { readonly start: number; readonly end: number }[];
}

export interface GoldenRequest {
  readonly masks: readonly Mask[];
  /** Null for the whole screen. */
  readonly region: Region | null;
  /** Whether colours and attributes are compared. */
  readonly styles: boolean;
}

/** Stands for text that a mask matched. */
const masked = '[..]';

/**
 * Returns a screen as the text of a golden: a line with its size and cursor, the rows without trailing
 * blanks, and with `styles` the runs of each row that are not in plain style, by their columns.
 *
 * @param screen with cells
 */
export function goldenText(screen: ScreenSnapshot, request: GoldenRequest): string {
  const { region } = request;
  const { row, col, rows, cols } = region ?? { row: 0, col: 0, ...screen.size };
  const shown = (screen.cells ?? [])
    .slice(row, row + rows)
    .map((cells) => cells.slice(col, col + cols));
  const lines = shown.map((row) => maskedRow(cellsText(row), request.masks));
  const end = lines.findLastIndex((line) => line !== '') + 1;
  return [
    headerOf(screen, region),
    ...lines.slice(0, end),
    ...(request.styles ? ['--- styles', ...shown.flatMap(stylesOf)] : []),
    '',
  ].join('\n');
}

function headerOf({ size, cursor, alternate }: ScreenSnapshot, region: Region | null): string {
  const { row, col, visible, shape } = cursor;
  const isInside =
    region === null ||
    (row >= region.row &&
      row < region.row + region.rows &&
      col >= region.col &&
      col < region.col + region.cols);
  return [
    `vtr ${size.cols}x${size.rows}`,
    ...(region === null
      ? []
      : [`region ${region.row},${region.col},${region.rows},${region.cols}`]),
    ...(visible && isInside ? [`cursor ${row},${col}${shape === 'block' ? '' : ` ${shape}`}`] : []),
    ...(alternate ? ['alt'] : []),
  ].join(' ');
}

function maskedRow(row: string, masks: readonly Mask[]): string {
  return masks.reduce(
    (text, mask) =>
      mask
        .findAll(text)
        .toReversed()
        .reduce((rest, { start, end }) => rest.slice(0, start) + masked + rest.slice(end), text),
    row,
  );
}

/** Returns one line for a row that has styles: `3: 0-5 bold fg=4; 10-20 inverse`. */
function stylesOf(cells: readonly Cell[], row: number): string[] {
  const runs = styledRuns(cells).map(({ from, to, style }) => `${from}-${to} ${style}`);
  return runs.length === 0 ? [] : [`${row}: ${runs.join('; ')}`];
}
