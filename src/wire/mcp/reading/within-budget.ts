import type { ReadBudget } from '#model';

/** What a model gets of a text at most, where it does not say; hosts cut what is longer, or refuse it. */
const defaultMaxChars = 30_000;

export interface BudgetArguments {
  readonly max_lines?: number | undefined;
  readonly max_chars?: number | undefined;
}

/** A character takes a byte or more, so that no more than `max_chars` of them are given. */
export function budgetOf({ max_lines, max_chars }: BudgetArguments): ReadBudget {
  return {
    maxBytes: max_chars ?? defaultMaxChars,
    ...(max_lines === undefined ? {} : { maxLines: max_lines }),
    keep: 'both',
  };
}

export interface LinesWithin {
  readonly lines: readonly string[];
  readonly omitted: { readonly lines: number; readonly bytes: number } | null;
}

/** The last of these lines that fit; of one that alone is too long, its beginning. */
export function lastLinesWithin(lines: readonly string[], budget: BudgetArguments): LinesWithin {
  const { max_lines: maxLines = lines.length, max_chars: maxChars = defaultMaxChars } = budget;
  let first = lines.length;
  let chars = 0;
  while (first > 0 && lines.length - first < maxLines) {
    const length = (lines[first - 1] ?? '').length + 1;
    if (chars + length - 1 > maxChars) break;
    chars += length;
    first--;
  }
  const kept = lines.slice(first);
  if (first === 0) return { lines: kept, omitted: null };
  if (kept.length === 0 && maxLines > 0) return cutLine(lines, maxChars);
  return { lines: kept, omitted: omittedOf(lines.slice(0, first)) };
}

function cutLine(lines: readonly string[], maxChars: number): LinesWithin {
  const last = lines.at(-1) ?? '';
  const head = last.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
  const left = [...lines.slice(0, -1), last.slice(head.length)];
  return { lines: head === '' ? [] : [head], omitted: omittedOf(left) };
}

const omittedOf = (lines: readonly string[]) => ({
  lines: lines.length,
  bytes: Buffer.byteLength(lines.join('\n')) + 1,
});
