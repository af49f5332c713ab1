import type { Menu } from '#model';
import { isBlank, type ShownRow, type ShownScreen, shownRows } from './shown-rows.ts';

/** The row with how many lines match, of how many, and how many are marked: `3/3 (0) ───`. */
const counter = /^\s*(?:\S\s+)?\d+\/\d+(?:\s+\((\d+)\))?(?:\s*─*)$/u;
const pointer = /^\s*[>▌❯➜▶]\s?/u;
/** What fzf shows in front of a marked line. */
const marked = /^(?:\s*[>▌❯➜▶]|\s+)[>┃•*+]\s?/u;

/** Returns the list of `fzf` or `sk`, of which the lines that match are shown; null if it is none. */
export function filterList(screen: ShownScreen): Menu | null {
  const rows = shownRows(screen.rows);
  const at = rows.findIndex(({ row }) => counter.test(screen.rows[row] ?? ''));
  const prompt = [rows[at - 1], rows[at + 1]].find((each) => each?.row === screen.cursor.row);
  if (at < 0 || prompt === undefined) return null;
  const isAbove = prompt.row > at;
  const beside = isAbove ? rows.slice(0, at).reverse() : rows.slice(at + 1);
  const end = beside.findIndex(isBlank);
  const listed = beside.slice(0, end < 0 ? undefined : end);
  // A header is nearest to the counter, without the column in which fzf points.
  const gutter = (row: ShownRow | undefined) => screen.cells(row?.row ?? 0)[0]?.style.bg;
  const first = listed.findIndex(
    (row) => gutter(row) !== null || pointer.test(textOf(row, screen)),
  );
  const header = listed.slice(0, Math.max(0, first)).map(({ text }) => text);
  const items = listed.slice(Math.max(0, first)).map((row) => textOf(row, screen));
  const shown = isAbove ? items.reverse() : items;
  const [, marks] = counter.exec(screen.rows[at] ?? '') ?? [];
  const selected = shown.findIndex((each) => pointer.test(each));
  if (!screen.cursor.visible || selected < 0) return null;
  const asked = (screen.rows[prompt.row] ?? '').slice(0, screen.cursor.col).trim();
  return {
    title: header.join(' ') || (/^[>❯]?$/u.test(asked) ? '' : asked),
    options: shown.map((each) => each.replace(marked, '').replace(pointer, '').trim()),
    selected,
    multiple: marks !== undefined,
    keys: '',
  };
}

const textOf = ({ row }: ShownRow, screen: ShownScreen): string => screen.rows[row] ?? '';
