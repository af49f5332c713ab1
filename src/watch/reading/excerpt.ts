import { utf8Length } from '#base';
import {
  type Excerpt,
  estimatedTokens,
  type Omitted,
  type RawOutput,
  type ReadBudget,
} from '#model';
import { characterEnd, characterStart } from '../character-borders.ts';
import type { Stretches } from './stretches.ts';

const unlimited = Number.POSITIVE_INFINITY;
/** An estimated token has at most this many bytes. */
const maxBytesPerToken = 4;

/** An excerpt of an empty text. */
export const emptyExcerpt: Excerpt = { head: '', tail: '', omitted: null, tokens: 0 };

/** Returns the part of some lines that fits a budget, and counts the omitted part. */
export function excerpt(lines: Stretches, budget: ReadBudget): Excerpt {
  if (lines.count === 0) return emptyExcerpt;
  const limits = limitsOf(budget);
  const whole = wholeWithin(lines, limits);
  if (whole !== null) {
    return { head: '', tail: whole, omitted: null, tokens: estimatedTokens(whole) };
  }
  const { keep = 'tail' } = budget;
  const head = keep === 'tail' ? nothing : take(lines.forward(), firstShare(limits, keep), cutHead);
  const rest = keep === 'both' ? secondShare(limits) : limits;
  const tail = keep === 'head' ? nothing : take(lines.backward(), rest, cutTail);
  const texts = { head: head.texts.join('\n'), tail: tail.texts.reverse().join('\n') };
  const tokens = estimatedTokens(texts.head) + estimatedTokens(texts.tail);
  const shownBytes = lines.isStyled
    ? lines.part(0, head.whole).bytes + lines.part(lines.count - tail.whole, lines.count).bytes
    : utf8Length(texts.head) + utf8Length(texts.tail) - lines.grown;
  const omitted = { bytes: lines.bytes - shownBytes, ...omittedLines(lines, head, tail) };
  return { ...texts, omitted, tokens };
}

interface Limits {
  readonly lines: number;
  readonly bytes: number;
  readonly tokens: number;
}

function limitsOf({ maxLines, maxBytes, maxTokens }: ReadBudget): Limits {
  return {
    lines: maxLines ?? unlimited,
    bytes: maxBytes ?? unlimited,
    tokens: maxTokens ?? unlimited,
  };
}

function firstShare(limits: Limits, keep: 'head' | 'both'): Limits {
  return keep === 'head' ? limits : share(limits, Math.ceil);
}

function secondShare(limits: Limits): Limits {
  return share(limits, Math.floor);
}

function share({ lines, bytes, tokens }: Limits, round: (half: number) => number): Limits {
  return { lines: round(lines / 2), bytes: round(bytes / 2), tokens: round(tokens / 2) };
}

/**
 * Returns the whole text; null if it exceeds the limits, which is usually known without reading it.
 */
function wholeWithin(lines: Stretches, limits: Limits): string | null {
  if (lines.count > limits.lines || lines.bytes > limits.bytes) return null;
  if (lines.bytes > limits.tokens * maxBytesPerToken) return null;
  const text = [...lines.forward()].join('\n');
  const bytes = lines.isStyled ? utf8Length(text) : lines.bytes + lines.grown;
  if (bytes > limits.bytes) return null;
  return estimatedTokens(text) > limits.tokens ? null : text;
}

/** The text taken from one end: whole lines, or a part of a single line. */
interface Taken {
  readonly texts: string[];
  readonly whole: number;
}

const nothing: Taken = { texts: [], whole: 0 };

/** Takes lines while they fit. If the first is too long, takes the part that `cut` returns. */
function take(
  lines: Iterable<string>,
  limits: Limits,
  cut: (text: string, limits: Limits) => string,
): Taken {
  const texts: string[] = [];
  if (limits.lines === 0) return nothing;
  let bytes = 0;
  let tokens = 0;
  for (const text of lines) {
    bytes += utf8Length(text) + (texts.length > 0 ? 1 : 0);
    // Each line is rounded up, so the sum is never below the tokens of the whole text.
    tokens += estimatedTokens(`${text}\n`);
    if (bytes > limits.bytes || tokens > limits.tokens) {
      if (texts.length > 0) break;
      return { texts: [cut(text, limits)], whole: 0 };
    }
    texts.push(text);
    if (texts.length === limits.lines) break;
  }
  return { texts, whole: texts.length };
}

function omittedLines(lines: Stretches, head: Taken, tail: Taken): Omit<Omitted, 'bytes'> {
  const end = lines.count - tail.whole;
  const last = lines.lineAt(end - 1);
  return {
    lines: end - head.whole,
    fromLine: lines.lineAt(head.whole),
    toLine: last === null ? null : last + 1,
  };
}

/** Returns the longest beginning that fits, cut between characters. */
function cutHead(text: string, limits: Limits): string {
  const length = longest(text.length, (units) => fits(text.slice(0, units), limits));
  return text.slice(0, characterStart(text, length));
}

/** Returns the longest end that fits, cut between characters. */
function cutTail(text: string, limits: Limits): string {
  const length = longest(text.length, (units) => fits(text.slice(text.length - units), limits));
  return text.slice(characterEnd(text, text.length - length));
}

function fits(text: string, { bytes, tokens }: Limits): boolean {
  return utf8Length(text) <= bytes && estimatedTokens(text) <= tokens;
}

/**
 * Returns the largest number up to `max` for which `holds` is true. It must be true for all smaller
 * ones.
 */
function longest(max: number, holds: (length: number) => boolean): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Returns the part of the output from `start` up to but excluding `to` that fits a budget. */
export function rawPart(
  chunks: readonly { readonly offset: number; readonly bytes: Uint8Array }[],
  start: number,
  to: number,
  { maxBytes = Number.POSITIVE_INFINITY, keep = 'tail' }: ReadBudget,
): RawOutput {
  const count = Math.min(maxBytes, to - start);
  const from = keep === 'head' ? start : to - count;
  const bytes = new Uint8Array(count);
  for (const chunk of chunks) {
    const first = Math.max(0, from - chunk.offset);
    const last = Math.min(chunk.bytes.length, from + count - chunk.offset);
    if (first < last) bytes.set(chunk.bytes.subarray(first, last), chunk.offset + first - from);
  }
  return { bytes, offset: from, omittedBytes: to - start - count };
}
