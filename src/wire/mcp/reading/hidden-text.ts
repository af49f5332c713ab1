import { type Coordinator, hidesText, type LineRange, type SessionRef } from '#model';
import { uncounted } from '../redacted-host.ts';

/** Ranges at most this many lines apart are read in one call. */
const nearLines = 50;

/**
 * Returns whether any of these lines contains invisible text. Lines that were dropped and lines that
 * are too long for a message are not checked.
 */
export async function hiddenInLines(
  coordinator: Coordinator,
  session: SessionRef,
  ranges: readonly LineRange[],
): Promise<boolean> {
  const checks = joinedRanges(ranges).map(async (range) => {
    const read = () => coordinator.readLines(session, { ...range, format: 'ansi' as const });
    const { lines } = await uncounted(read);
    return lines.some(({ text }) => hidesText(text));
  });
  const found = await Promise.allSettled(checks);
  return found.some((check) => check.status === 'fulfilled' && check.value);
}

/** Returns whether the screen contains invisible text. */
export async function hiddenOnScreen(
  coordinator: Coordinator,
  session: SessionRef,
): Promise<boolean> {
  const read = () => coordinator.screen(session, { format: 'ansi' as const });
  return (await uncounted(read)).text.some(hidesText);
}

/** Returns the ranges in order, near ones joined. */
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
