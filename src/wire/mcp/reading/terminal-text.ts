import { cutText, defined, sanitize } from '#base';
import {
  type Coordinator,
  counted,
  type Excerpt,
  hidesText,
  type LineRange,
  type Omitted,
  type ReadBudget,
  type ReadGap,
  type SessionRef,
} from '#model';
import { uncounted } from '../redacted-host.ts';

/** Program output in an answer, with warnings about it. */
export interface TerminalText {
  readonly content: string;
  readonly lines: number;
  readonly omitted?: { readonly lines: number; readonly bytes: number };
  /** Lines that are no longer kept. */
  readonly lost_lines?: number;
  /** Rows that the command left on the alternate screen, and that are not in the text. */
  readonly screen_rows?: number;
  /** Lines before the text that are kept and not in it. */
  readonly earlier_lines?: number;
  /** Bytes dropped before they were read; raw reads of the view `new` only. */
  readonly lost_bytes?: number;
  /** Number of control and invisible characters removed. */
  readonly removed?: number;
  readonly hidden_text?: boolean;
  readonly untrusted: true;
}

interface Facts {
  readonly omitted?: Pick<Omitted, 'lines' | 'bytes'> | null;
  readonly lostLines?: number;
  readonly earlierLines?: number;
  readonly screenRows?: number;
  readonly lostBytes?: number;
  readonly hiddenText?: boolean;
}

/** Returns the text without control and invisible characters and trailing blanks. */
export function plainText(text: string, facts: Facts = {}): TerminalText {
  const { text: content, removed } = sanitize(text);
  return { ...textOf(withoutTrailingBlanks(content), facts), ...(removed > 0 ? { removed } : {}) };
}

/** Keeps one blank at the end of the text: there it separates a prompt from the input. */
const withoutTrailingBlanks = (text: string): string =>
  text.replace(/(?<![ \t])[ \t]+\n/g, '\n').replace(/(?<![ \t])([ \t])[ \t]+$/, '$1');

/** Returns the text unchanged, for raw reads. */
export function textOf(content: string, facts: Facts = {}): TerminalText {
  const {
    omitted = null,
    lostLines = 0,
    earlierLines = 0,
    screenRows = 0,
    lostBytes = 0,
    hiddenText = false,
  } = facts;
  return {
    content,
    lines: lineCount(content),
    ...defined({ omitted: omitted && { lines: omitted.lines, bytes: omitted.bytes } }),
    ...(lostLines > 0 ? { lost_lines: lostLines } : {}),
    ...(earlierLines > 0 ? { earlier_lines: earlierLines } : {}),
    ...(screenRows > 0 ? { screen_rows: screenRows } : {}),
    ...(lostBytes > 0 ? { lost_bytes: lostBytes } : {}),
    ...defined({ hidden_text: hiddenText || undefined }),
    untrusted: true,
  };
}

/** Joins the two ends of an excerpt, with a line between them if text was omitted. */
export function joined({ head, tail, omitted }: Excerpt): string {
  if (omitted === null || head === '' || tail === '') return head + tail;
  return `${head}\n[... ${counted(omitted.lines, 'line')} omitted ...]\n${tail}`;
}

export const excerptFacts = ({ omitted }: Excerpt, gap: ReadGap): Facts => ({
  omitted,
  lostLines: gap.lines + (gap.unreadable ?? 0),
  earlierLines: gap.earlier ?? 0,
  screenRows: gap.rows ?? 0,
});

const lineCount = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** Longer lines are truncated: a line may have a megabyte. */
export const maxLineChars = 1000;

/** Sanitizes the output lines of one answer and counts the characters removed. */
export class PlainLines {
  #removed = 0;

  /** Returns the sanitized line, truncated to {@link maxLineChars}. */
  plain(line: string): string {
    const { text: plain, removed } = sanitize(cutText(line, maxLineChars));
    this.#removed += removed;
    return plain;
  }

  facts(hiddenText = false) {
    return {
      ...(this.#removed > 0 ? { removed: this.#removed } : {}),
      ...defined({ hidden_text: hiddenText || undefined }),
      untrusted: true as const,
    };
  }
}

/** Default limit of a text. Hosts truncate or refuse longer ones. */
const defaultMaxChars = 30_000;

export interface BudgetArguments {
  readonly max_lines?: number | undefined;
  readonly max_chars?: number | undefined;
}

/** Returns a limit in bytes. A character has at least one byte, so `max_chars` is never exceeded. */
export function budgetOf({ max_lines, max_chars }: BudgetArguments): ReadBudget {
  return {
    maxBytes: max_chars ?? defaultMaxChars,
    ...defined({ maxLines: max_lines }),
    keep: 'both',
  };
}

export interface LinesWithin {
  readonly lines: readonly string[];
  readonly omitted: { readonly lines: number; readonly bytes: number } | null;
}

/** Returns the last lines that fit; if the last one alone is too long, its beginning. */
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
  const rest = lines.slice(first);
  if (first === 0) return { lines: rest, omitted: null };
  if (rest.length === 0 && maxLines > 0) return cutLine(lines, maxChars);
  return { lines: rest, omitted: omittedOf(lines.slice(0, first)) };
}

/** Returns the first lines that fit; if the first one alone is too long, its beginning. */
export function firstLinesWithin(lines: readonly string[], budget: BudgetArguments): LinesWithin {
  const { lines: texts, omitted } = lastLinesWithin([...lines].reverse(), budget);
  return { lines: [...texts].reverse(), omitted };
}

function cutLine(lines: readonly string[], maxChars: number): LinesWithin {
  const last = lines.at(-1) ?? '';
  const head = cutText(last, maxChars);
  const left = [...lines.slice(0, -1), last.slice(head.length)];
  return { lines: head === '' ? [] : [head], omitted: omittedOf(left) };
}

const omittedOf = (lines: readonly string[]) => ({
  lines: lines.length,
  bytes: Buffer.byteLength(lines.join('\n')) + 1,
});

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
  const results = await Promise.allSettled(checks);
  return results.some((check) => check.status === 'fulfilled' && check.value);
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
