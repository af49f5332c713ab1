import type { Menu } from '#model';
import { isBlank, type ShownRow, type ShownScreen, shownRows } from './shown-rows.ts';

/** The row with how many lines match, of how many, and how many are marked: `3/3 (0) ───`. */
const counter = /^\s*(?:\S\s+)?(\d+)\/\d+(?:\s+\((\d+)\))?(?:\s*─*)$/u;
const pointer = /^[>▌❯➜▶]/u;
/** What fzf shows between the pointer and a marked line. */
const marker = /^[>┃•*+]/u;
const scrollbar = /^[│┃|▌▐█]$/u;

const side = /[│┃║|]/u;
/** The edges of a box: of the list, or of a preview right of it. */
const edge = /[│┃║|╭╮╰╯┌┐└┘╔╗╚╝┏┓┗┛]/u;

/** Returns the list of `fzf` or `sk`, of which the lines that match are shown; null if it is none. */
export const filterList = (screen: ShownScreen): Menu | null => listIn(insideOfBox(screen));

/** Returns a screen without what is outside of the box in which its cursor stands. */
function insideOfBox(screen: ShownScreen): ShownScreen {
  const { rows, cursor } = screen;
  const { row: at } = cursor;
  const isSide = (row: number, col: number) => side.test(rows[row]?.[col] ?? '');
  const isBeside = (col: number, from: number, by: 1 | -1) =>
    isSide(from + by, col) && isSide(from + 2 * by, col);
  const isEdge = (col: number) =>
    edge.test(rows[at]?.[col] ?? '') && (isBeside(col, at, -1) || isBeside(col, at, 1));
  let left = cursor.col - 1;
  while (left >= 0 && !isEdge(left)) left--;
  const width = Math.max(...rows.map(({ length }) => length));
  let right = cursor.col + 1;
  while (right < width && !isEdge(right)) right++;
  if (left < 0 && right >= width) return screen;
  const isInside = (row: number) => left < 0 || isSide(row, left);
  let [from, to] = [at, at];
  while (from > 0 && isInside(from - 1)) from--;
  while (to < rows.length && isInside(to)) to++;
  return {
    rows: rows.map((row, index) =>
      index < from || index >= to ? '' : row.slice(left + 1, right).trimEnd(),
    ),
    cells: (row) => screen.cells(row).slice(left + 1, right),
    cursor: { ...cursor, col: cursor.col - left - 1 },
  };
}

function listIn(screen: ShownScreen): Menu | null {
  const rows = shownRows(screen.rows);
  const at = rows.findIndex(({ row }) => counter.test(screen.rows[row] ?? ''));
  const prompt = [rows[at - 1], rows[at + 1]].find((each) => each?.row === screen.cursor.row);
  if (at < 0 || prompt === undefined) return null;
  const isAbove = prompt.row > at;
  const beside = isAbove ? rows.slice(0, at).reverse() : rows.slice(at + 1);
  const end = beside.findIndex(isBlank);
  const listed = beside.slice(0, end < 0 ? undefined : end);
  const counted = screen.rows[at] ?? '';
  const [, matches, marks] = counter.exec(counted) ?? [];
  const nearest = [prompt, ...listed.slice(0, Number(matches))];
  const left = Math.min(...nearest.map(({ row }) => indent(screen.rows[row] ?? '')));
  const inList = ({ row }: ShownRow) => (screen.rows[row] ?? '').slice(left);
  const hasGutter = ({ row }: ShownRow) => (screen.cells(row)[left]?.style.bg ?? null) !== null;
  // A header is nearest to the counter, without the column in which fzf points. Only colours show that column.
  const isItem = (row: ShownRow) =>
    hasGutter(row) || pointer.test(inList(row)) || (Number(marks) > 0 && isFilled(inList(row), 1));
  const spare = listed.length - Number(matches);
  const known = listed.findIndex(isItem);
  const first = spare < 0 ? known : Math.min(known, spare);
  const header = listed.slice(0, Math.max(0, first)).map(({ text }) => text);
  // A list may fill only a part of the screen (`--height`). The rows after it are not items, unless items have
  // several rows.
  const found = listed.slice(Math.max(0, first));
  const items = found.filter((row, nth) => nth < Number(matches) || hasGutter(row));
  if (isAbove) items.reverse();
  const pointed = items.flatMap((row, index) => (pointer.test(inList(row)) ? [index] : []));
  if (!screen.cursor.visible || pointed.length === 0) return null;
  const whole = items.map(inList);
  const lines =
    Number(matches) > items.length ? withoutScrollbar(whole, counted.length - left) : whole;
  const checked = marks === undefined ? undefined : markedIn(lines, Number(marks));
  const asked = (screen.rows[prompt.row] ?? '').slice(0, screen.cursor.col).trim();
  return {
    title: header.join(' ') || (/^[>❯]?$/u.test(asked) ? '' : asked),
    options: lines.map((line, index) => {
      const text = line.replace(pointer, ' ').slice(1);
      if (checked?.includes(index)) return text.slice(1).trim();
      const isUnsure = checked === undefined && marks !== undefined;
      return (isUnsure ? text.replace(marker, '') : text).trim();
    }),
    selected: onlyOne(pointed, (index) =>
      JSON.stringify(screen.cells(items[index]?.row ?? 0)[left]?.style),
    ),
    multiple: marks !== undefined,
    ...(checked === undefined ? {} : { checked }),
    keys: '',
  };
}

const indent = (line: string): number => (line.trim() === '' ? Infinity : line.search(/\S/u));

const isFilled = (line: string, col: number): boolean => (line[col] ?? ' ') !== ' ';

/**
 * Returns which of these lines are marked, the first of their columns being that of the pointer; undefined if another
 * layout could look the same.
 */
function markedIn(lines: readonly string[], marks: number): readonly number[] | undefined {
  const filled = (col: number) =>
    lines.flatMap((line, index) => (isFilled(line, col) ? [index] : []));
  if (marks === 0) return [];
  const found = filled(1);
  const isSure = found.length === 0 ? filled(2).length > marks : found.length <= marks;
  return isSure ? found : undefined;
}

/** Removes the bar that fzf draws right of some of the lines, from column `from` on, if not all are shown. */
function withoutScrollbar(lines: readonly string[], from: number): readonly string[] {
  const col = Math.max(...lines.map((line) => line.length)) - 1;
  const bars = lines.flatMap((line, index) => (isFilled(line, col) ? [index] : []));
  const isBar = bars.every((index, nth) => {
    const sign = lines[index]?.[col] ?? '';
    return scrollbar.test(sign) && index === (bars[0] ?? 0) + nth;
  });
  return isBar && col >= from ? lines.map((line) => line.slice(0, col).trimEnd()) : lines;
}

/** Returns the row of the pointer, also if each row has its sign, but in another style; null if that is unknown. */
function onlyOne(pointed: readonly number[], styleOf: (index: number) => string): number | null {
  if (pointed.length === 1) return pointed[0] ?? null;
  const styles = pointed.map(styleOf);
  const alone = pointed.filter(
    (_, nth) => styles.filter((each) => each === styles[nth]).length < 2,
  );
  return alone.length === 1 ? (alone[0] ?? null) : null;
}
