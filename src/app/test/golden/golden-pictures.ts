import { encodeUtf8 } from '#base';
import type { Size } from '#model';

/** What a terminal is fed to show a picture. */
export interface Drawing {
  readonly size: Size;
  readonly firstLine: 0;
  readonly dump: Uint8Array;
}

/** A cell as a golden has it: a character, or none for the second half of a wide one, and its style in words. */
interface GoldenCell {
  readonly text: string;
  readonly style: string;
}

interface Position {
  readonly row: number;
  readonly col: number;
}

/** The screen of a golden, or the part of it that is compared. */
interface GoldenScreen {
  readonly size: Size;
  /** The first cell of the part. */
  readonly origin: Position;
  readonly rows: readonly (readonly GoldenCell[])[];
  /** Null if it is not shown. */
  readonly cursor: Position | null;
}

/**
 * Returns what draws the screen of a golden, and a screen with the cells on red that differ from it: characters, styles
 * and the place of the cursor. Null if one of the texts is not that of a golden.
 */
export async function goldenDrawings(
  golden: string,
  actual: string,
): Promise<{ readonly expected: Drawing; readonly difference: Drawing } | null> {
  const { clustersOf } = await import('#vt/widths');
  const cellsOf = (line: string) =>
    clustersOf(line).flatMap(({ text, width }) => (width === 2 ? [text, ''] : [text]));
  const before = screenOf(golden, cellsOf);
  const now = screenOf(actual, cellsOf);
  if (before === null || now === null) return null;
  return { expected: drawing(before), difference: drawing(withDifferences(now, before)) };
}

const header =
  /^vtr (\d+)x(\d+)(?: region (\d+),(\d+),\d+,\d+)?(?: cursor (\d+),(\d+)(?: \w+)?)?(?: alt)?$/;
const stylesLine = '--- styles';

function screenOf(golden: string, cellsOf: (line: string) => string[]): GoldenScreen | null {
  const [first = '', ...lines] = golden.split('\n');
  const [, cols, rows, top = 0, left = 0, cursorRow, cursorCol] = header.exec(first) ?? [];
  if (cols === undefined || rows === undefined) return null;
  const end = lines.indexOf(stylesLine);
  const styles = stylesIn(end === -1 ? [] : lines.slice(end + 1));
  return {
    size: { cols: Number(cols), rows: Number(rows) },
    origin: { row: Number(top), col: Number(left) },
    rows: lines.slice(0, end === -1 ? lines.length : end).map((line, row) => {
      const runs = styles.get(row) ?? [];
      const cells = cellsOf(line);
      const count = Math.max(cells.length, ...runs.map(({ to }) => to + 1));
      return Array.from({ length: count }, (_, col) => ({
        text: cells[col] ?? ' ',
        style: runs.find(({ from, to }) => col >= from && col <= to)?.style ?? '',
      }));
    }),
    cursor: cursorRow === undefined ? null : { row: Number(cursorRow), col: Number(cursorCol) },
  };
}

interface StyleRun {
  readonly from: number;
  readonly to: number;
  readonly style: string;
}

/** A link is a string of JSON, which may have any character. */
const styleRun = /(\d+)-(\d+) ((?:[^;"]|"(?:[^"\\]|\\.)*")+)/g;

/** Returns the runs of each row, from lines such as `3: 0-5 bold fg=4; 10-20 inverse`. */
function stylesIn(lines: readonly string[]): Map<number, StyleRun[]> {
  const rows = new Map<number, StyleRun[]>();
  for (const line of lines) {
    const runs = [...line.matchAll(styleRun)].map(([, from, to, style = '']) => ({
      from: Number(from),
      to: Number(to),
      style,
    }));
    rows.set(Number.parseInt(line, 10), runs);
  }
  return rows;
}

/** A style that no golden has. */
const differs = 'differs';

function withDifferences(now: GoldenScreen, before: GoldenScreen): GoldenScreen {
  const { origin, cursor } = now;
  const cursors = [cursor, before.cursor].flatMap((each) =>
    each === null ? [] : [`${each.row - origin.row} ${each.col - origin.col}`],
  );
  const cursorCells = cursors.length === 1 || cursors[0] !== cursors[1] ? cursors : [];
  const blank: GoldenCell = { text: ' ', style: '' };
  const length = Math.max(now.rows.length, before.rows.length, ...cursorCells.map(rowAfter));
  const rows = Array.from({ length }, (_, row) => {
    const [is, was] = [now.rows[row] ?? [], before.rows[row] ?? []];
    const end = Math.max(is.length, was.length, ...cursorCells.map((each) => colAfter(each, row)));
    return Array.from({ length: end }, (_, col) => {
      const cell = is[col] ?? blank;
      const other = was[col] ?? blank;
      const isSame = cell.text === other.text && cell.style === other.style;
      return isSame && !cursorCells.includes(`${row} ${col}`) ? cell : { ...cell, style: differs };
    });
  });
  return { ...now, rows };
}

const rowAfter = (position: string): number => Number(position.split(' ')[0]) + 1;

const colAfter = (position: string, row: number): number =>
  rowAfter(position) === row + 1 ? Number(position.split(' ')[1]) + 1 : 0;

/** Without wrapping: a mask makes a row longer. */
const begin = '\x1b[?7l';

function drawing({ size, origin, rows, cursor }: GoldenScreen): Drawing {
  const place = ({ row, col }: Position) => `\x1b[${row + 1};${col + 1}H`;
  const lines = rows.slice(0, size.rows - origin.row).map((cells, row) => {
    const written = cells.map(({ text, style }) => `\x1b[${sgrOf(style)}m${text}`).join('');
    return `${place({ row: origin.row + row, col: origin.col })}${written}\x1b[m`;
  });
  const end = cursor === null ? '\x1b[?25l' : place(cursor);
  return { size, firstLine: 0, dump: encodeUtf8([begin, ...lines, end].join('')) };
}

/** The parameters of SGR, ECMA-48 and xterm, for the words of a style. */
const parameters: Readonly<Record<string, string>> = {
  [differs]: '0;97;48;2;176;0;32',
  bold: '1',
  dim: '2',
  italic: '3',
  blink: '5',
  inverse: '7',
  hidden: '8',
  strikethrough: '9',
  overline: '53',
  'underline=single': '4',
  'underline=double': '4:2',
  'underline=curly': '4:3',
  'underline=dotted': '4:4',
  'underline=dashed': '4:5',
};

const colorParameter: Readonly<Record<string, string>> = {
  fg: '38',
  bg: '48',
  'underline-color': '58',
};

function sgrOf(style: string): string {
  const words = style.replace(/link="(?:[^"\\]|\\.)*"/, '').split(' ');
  return ['0', ...words.flatMap((word) => parameters[word] ?? colorOf(word))].join(';');
}

function colorOf(word: string): string[] {
  const [, name = '', color = ''] = /^([\w-]+)=(\d+|#[0-9a-f]{6})$/.exec(word) ?? [];
  const parameter = colorParameter[name];
  if (parameter === undefined) return [];
  if (!color.startsWith('#')) return [`${parameter}:5:${color}`];
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [`${parameter}:2::${red}:${green}:${blue}`];
}
