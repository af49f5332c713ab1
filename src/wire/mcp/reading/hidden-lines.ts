import type { Coordinator, Excerpt, SessionRef } from '#model';
import { hidesText } from './hidden-text.ts';

/** Line numbers, from the first up to and without `to`; up to the end without it. */
export interface LineRange {
  readonly from: number;
  readonly to?: number;
}

/** What lies no further apart is asked for at once. */
const nearLines = 50;

/**
 * Whether any of these lines holds text that nobody sees. Lines that are gone by now hold none, and
 * those that are too long for a message are not looked at.
 */
export async function hiddenInLines(
  coordinator: Coordinator,
  session: SessionRef,
  ranges: readonly LineRange[],
): Promise<boolean> {
  const looks = joinedRanges(ranges).map(async (range) => {
    const { lines } = await coordinator.readLines(session, { ...range, format: 'ansi' });
    return lines.some(({ text }) => hidesText(text));
  });
  const found = await Promise.allSettled(looks);
  return found.some((look) => look.status === 'fulfilled' && look.value);
}

/** The lines that an excerpt shows of a range, those that it cuts included. */
export function shownLines({ head, tail, omitted }: Excerpt, range: LineRange): LineRange[] {
  if (omitted === null || omitted.fromLine === null || omitted.toLine === null) return [range];
  return [
    ...(head === '' ? [] : [{ ...range, to: omitted.fromLine + 1 }]),
    ...(tail === '' ? [] : [{ ...range, from: omitted.toLine - 1 }]),
  ];
}

export async function hiddenOnScreen(
  coordinator: Coordinator,
  session: SessionRef,
): Promise<boolean> {
  return (await coordinator.screen(session, { format: 'ansi' })).text.some(hidesText);
}

/** In their order, and those that lie near each other as one. */
function joinedRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || range.from > endOf(last) + nearLines) joined.push(range);
    else if (endOf(range) > endOf(last)) joined[joined.length - 1] = { ...range, from: last.from };
  }
  return joined;
}

const endOf = ({ to = Number.POSITIVE_INFINITY }: LineRange): number => to;
