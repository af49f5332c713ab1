import { goneTo } from './moving.ts';
import type { Cols } from './row-cells.ts';
import {
  type Body,
  lineOf,
  type Match,
  type Matcher,
  type Scroll,
  type Search,
  type Seek,
  type ViewLine,
} from './scroll.ts';
import type { Effect } from './view-state.ts';

/** Lines with a match that are counted. */
const maxFoundLines = 100_000;

/** Returns what a person searches: without capital letters, capitals do not matter. */
export const effectivePattern = (source: string): string =>
  /\p{Lu}/u.test(source.replace(/\\./gu, '')) ? source : `(?i)${source}`;

/** Begins a search at the cursor. */
export function withSearch(
  scroll: Scroll,
  source: string,
  backward: boolean,
): { scroll: Scroll; effect: Effect } {
  const id = (scroll.search?.id ?? 0) + 1;
  const search: Search = {
    id,
    source,
    backward,
    matcher: null,
    lines: [],
    searchedTo: 0,
    current: null,
    isDone: false,
    isTruncated: false,
    isAround: false,
    seek: { line: scroll.cursor.line, backward },
  };
  const effect: Effect = { type: 'compile', id, pattern: effectivePattern(source) };
  return { scroll: { ...scroll, search }, effect };
}

/** Searches the frozen lines at once. Those in the scrollback are an effect. */
export function withMatcher({ frozen }: Scroll, search: Search, matcher: Matcher): Search {
  const matching = frozen.lines.filter(({ text }) => matcher(text).length > 0);
  return { ...search, matcher, lines: matching.map(({ number }) => number) };
}

/**
 * Adds lines that were found in the scrollback, below those that were found before.
 *
 * @param next where the search continues; null if it is done
 */
export function withFound(
  { frozen }: Scroll,
  search: Search,
  hits: readonly number[],
  next: number | null,
): Search {
  const onScreen = search.lines.findIndex((line) => line >= frozen.from);
  const at = onScreen < 0 ? search.lines.length : onScreen;
  const lines = search.lines.slice(0, at).concat(hits, search.lines.slice(at));
  const isTruncated = next !== null && lines.length >= maxFoundLines;
  const isDone = next === null || isTruncated;
  return { ...search, lines, isDone, isTruncated, searchedTo: next ?? search.searchedTo };
}

/** Requests the next match in the direction of the search, or against it. */
export function withSeek(scroll: Scroll, against: boolean): Scroll {
  const { search, cursor } = scroll;
  if (search === null) return scroll;
  const backward = search.backward !== against;
  const line = cursor.line + (backward ? -1 : 1);
  return { ...scroll, search: { ...search, seek: { line, backward } } };
}

/** Shows the match that is requested as soon as it is known which one that is. */
export function sought(scroll: Scroll, body: Body): Scroll {
  const { search, frozen } = scroll;
  if (search === null || search.seek === null || search.matcher === null) return scroll;
  const line = nearest(search, search.seek, frozen.from);
  if (line === null && !search.isDone) return scroll;
  const isAround = isWrapped(search);
  const current = line ?? search.current;
  const next = { ...scroll, search: { ...search, seek: null, current, isAround } };
  return line === null ? next : atMatch(next, line, body);
}

/** Whether the match that is requested is around the end of the lines. */
function isWrapped({ seek, lines }: Search): boolean {
  if (seek === null || lines.length === 0) return false;
  return lines.every((line) => (seek.backward ? line > seek.line : line < seek.line));
}

/**
 * Returns the nearest line with a match, around the end of the lines if there is none. Null if it does
 * not exist, or if lines that are nearer have not been searched.
 *
 * @param frozenFrom the lines from here on have been searched
 */
function nearest(search: Search, { line, backward }: Seek, frozenFrom: number): number | null {
  const { lines, isDone, searchedTo } = search;
  const ahead = backward ? lines.findLast((at) => at <= line) : lines.find((at) => at >= line);
  if (isDone) return ahead ?? (backward ? lines.at(-1) : lines[0]) ?? null;
  if (ahead === undefined) return null;
  const [from, to] = backward ? [ahead, line] : [line, ahead];
  return from >= frozenFrom || to < searchedTo ? ahead : null;
}

function atMatch(scroll: Scroll, line: number, body: Body): Scroll {
  const read = lineOf(scroll, line);
  const [first] = read === undefined ? [] : matchedCols(read, scroll.search?.matcher ?? null);
  return goneTo(scroll, { line, col: first?.from ?? 0 }, body);
}

/** Puts the cursor on the match, when the line that was jumped to has been read. */
export function aimed(scroll: Scroll, body: Body): Scroll {
  const { search, cursor } = scroll;
  const isAt = search !== null && search.current === cursor.line && cursor.col === 0;
  return isAt ? atMatch(scroll, cursor.line, body) : scroll;
}

/** Returns `/foo 3 of 17` and the like. */
export function searchText(search: Search): string {
  const { lines, current, isDone, isTruncated, isAround, source, backward } = search;
  const pattern = `${backward ? '?' : '/'}${source}`;
  if (lines.length === 0) return isDone ? `${pattern} not found` : `${pattern} …`;
  const count = `${lines.length}${isTruncated ? '+' : ''}${isDone ? '' : ' …'}`;
  const at = current === null ? -1 : lines.indexOf(current);
  const around = isAround ? ' · wrapped' : '';
  return `${pattern} ${at < 0 ? count : `${at + 1} of ${count}${around}`}`;
}

const cache = new WeakMap<ViewLine, { matcher: Matcher; cols: readonly Cols[] }>();

/** Returns the columns of all matches in a line. */
export function matchedCols(line: ViewLine, matcher: Matcher | null): readonly Cols[] {
  if (matcher === null) return [];
  const before = cache.get(line);
  if (before?.matcher === matcher) return before.cols;
  const cols = matcher(line.text).map((match) => colsOf(line, match));
  cache.set(line, { matcher, cols });
  return cols;
}

/** Returns the columns of a part of a line's text, at least one. */
function colsOf({ cells }: ViewLine, { start, end }: Match): Cols {
  let at = 0;
  let col = 0;
  const colAt = (index: number) => {
    for (; col < cells.length && at + (cells[col]?.text.length ?? 0) <= index; col++) {
      at += cells[col]?.text.length ?? 0;
    }
    return col;
  };
  const from = colAt(start);
  return { from, to: Math.max(from + 1, colAt(end)) };
}
