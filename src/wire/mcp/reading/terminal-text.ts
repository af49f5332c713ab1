import { sanitize } from '#base';
import type { Excerpt, Omitted, ReadBudget, ReadGap } from '#model';

/** What a program wrote, as a model gets it, and what is to be known of it. */
export interface TerminalText {
  readonly content: string;
  readonly lines: number;
  readonly omitted?: { readonly lines: number; readonly bytes: number };
  /** Lines that were dropped before they were read. */
  readonly lost_lines?: number;
  /** The same of the view `new` with its ANSI codes. */
  readonly lost_bytes?: number;
  /** Controls and invisible characters that were taken out. */
  readonly removed?: number;
  readonly hidden_text?: boolean;
  readonly untrusted: true;
}

interface Facts {
  readonly omitted?: Pick<Omitted, 'lines' | 'bytes'> | null;
  readonly lostLines?: number;
  readonly lostBytes?: number;
  readonly hiddenText?: boolean;
}

export function plainText(text: string, facts: Facts = {}): TerminalText {
  const { text: content, removed } = sanitize(text);
  return { ...textOf(content, facts), ...(removed > 0 ? { removed } : {}) };
}

/** With its ANSI codes, as it was asked for. */
export function textOf(content: string, facts: Facts = {}): TerminalText {
  const { omitted = null, lostLines = 0, lostBytes = 0, hiddenText = false } = facts;
  return {
    content,
    lines: lineCount(content),
    ...(omitted === null ? {} : { omitted: { lines: omitted.lines, bytes: omitted.bytes } }),
    ...(lostLines > 0 ? { lost_lines: lostLines } : {}),
    ...(lostBytes > 0 ? { lost_bytes: lostBytes } : {}),
    ...(hiddenText ? { hidden_text: true } : {}),
    untrusted: true,
  };
}

/** The two ends of an excerpt, with a line between them where something was left out. */
export function joined({ head, tail, omitted }: Excerpt): string {
  if (omitted === null || head === '' || tail === '') return head + tail;
  return `${head}\n[... ${omitted.lines} ${omitted.lines === 1 ? 'line' : 'lines'} left out ...]\n${tail}`;
}

export const excerptFacts = ({ omitted }: Excerpt, gap: ReadGap): Facts => ({
  omitted,
  lostLines: gap.lines,
});

const lineCount = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

/** A line of a megabyte is one too. */
export const maxLineChars = 1000;

/** Lines of programs that one answer tells, made plain, and what is to be known of them. */
export class PlainLines {
  #removed = 0;

  /** Of a long one its beginning. */
  plain(line: string): string {
    const { text: plain, removed } = sanitize(line.slice(0, maxLineChars));
    this.#removed += removed;
    return plain;
  }

  facts(hiddenText = false) {
    return {
      ...(this.#removed > 0 ? { removed: this.#removed } : {}),
      ...(hiddenText ? { hidden_text: true } : {}),
      untrusted: true as const,
    };
  }
}

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
