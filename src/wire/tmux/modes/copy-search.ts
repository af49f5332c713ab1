import { setImmediate } from 'node:timers/promises';
import { finder } from '#format';
import type { CopyGrid, Place } from './copy-grid.ts';

/** What is looked for. */
export interface Search {
  readonly pattern: string;
  readonly isRegex: boolean;
  readonly isBackward: boolean;
}

/** A match: its first place, and the place after it. */
export interface Match {
  readonly start: Place;
  readonly end: Place;
  readonly text: string;
}

const isBefore = (one: Place, two: Place): boolean =>
  one.y < two.y || (one.y === two.y && one.x < two.x);

/**
 * Looks for a pattern from a place on, around the end if it `wraps`. Other work of the daemon goes on meanwhile.
 *
 * @param isAfter whether a match that begins at the place does not count
 */
export async function findMatch(
  grid: CopyGrid,
  from: Place,
  { pattern, isRegex, isBackward }: Search,
  wraps: boolean,
  isAfter: boolean,
): Promise<Match | null> {
  const find = finderOf(pattern, isRegex);
  const isThere = ({ start }: Match) =>
    isBackward ? isBefore(start, from) : isAfter ? isBefore(from, start) : !isBefore(start, from);
  let line = grid.startOfLine(from).y;
  // The line of the place comes twice: first the part in the direction, and last all of it.
  for (let passed = 0, isAround = false; ; passed++) {
    if (passed % 1_000 === 999) await setImmediate();
    const all = matchesIn(grid, line, find);
    const there = isAround ? all : all.filter(isThere);
    const match = isBackward ? there.at(-1) : there[0];
    if (match !== undefined) return match;
    if (isAround && line === grid.startOfLine(from).y) return null;
    const next = isBackward ? line - 1 : grid.endOfLine({ x: 0, y: line }, false).y + 1;
    if (next >= 0 && next <= grid.last) line = grid.startOfLine({ x: 0, y: next }).y;
    else if (!wraps) return null;
    else {
      isAround = true;
      line = isBackward ? grid.startOfLine({ x: 0, y: grid.last }).y : 0;
    }
  }
}

/** The match in which a place is, or that ends before it; null if there is none. */
export function matchAt(
  grid: CopyGrid,
  place: Place,
  { pattern, isRegex }: Omit<Search, 'isBackward'>,
): Match | null {
  const all = matchesIn(grid, grid.startOfLine(place).y, finderOf(pattern, isRegex));
  const isIn = ({ start, end }: Match) => !isBefore(place, start) && isBefore(place, end);
  const isAtEnd = ({ end }: Match) => end.x === place.x && end.y === place.y;
  return all.find(isIn) ?? all.find(isAtEnd) ?? null;
}

/** The matches in some rows, with those of the lines that begin above them. */
export function matchesOnRows(
  grid: CopyGrid,
  from: number,
  to: number,
  { pattern, isRegex }: Omit<Search, 'isBackward'>,
): Match[] {
  if (pattern === '') return [];
  const find = finderOf(pattern, isRegex);
  const matches: Match[] = [];
  for (let y = grid.startOfLine({ x: 0, y: from }).y; y <= Math.min(to, grid.last); ) {
    matches.push(...matchesIn(grid, y, find));
    y = grid.endOfLine({ x: 0, y }, false).y + 1;
  }
  return matches;
}

type Finder = ReturnType<typeof finder>;

const finderOf = (pattern: string, isRegex: boolean): Finder =>
  finder(isRegex ? pattern : literal(pattern), pattern === pattern.toLowerCase());

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The matches in a line, which may have several rows. @param first its first row */
function matchesIn(grid: CopyGrid, first: number, find: Finder): Match[] {
  let text = '';
  const { y: last } = grid.endOfLine({ x: 0, y: first }, false);
  for (let y = first; y <= last; y++) text += grid.text(y, 0, grid.fullLengthOf(y));
  const spans = find(text).filter(({ start, end }) => end > start);
  if (spans.length === 0) return [];
  const places: Place[] = [];
  for (let y = first; y <= last; y++) {
    for (let x = 0; x < grid.fullLengthOf(y); x++) {
      for (let unit = grid.cellAt({ x, y }).length; unit > 0; unit--) places.push({ x, y });
    }
  }
  const end: Place = { x: grid.lengthOf(last), y: last };
  return spans.map(({ start, end: after }) => ({
    start: places[start] ?? end,
    end: places[after] ?? end,
    text: text.slice(start, after),
  }));
}
