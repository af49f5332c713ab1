import { encodeUtf8 } from '#base';
import { type Excerpt, estimatedTokens, type Omitted, type ReadBudget } from '#model';
import { characterEnd, characterStart } from '../character-borders.ts';
import type { Stretches } from './stretches.ts';

const unlimited = Number.POSITIVE_INFINITY;
/** A token is no more than so many bytes, as tokens are estimated. */
const maxBytesPerToken = 4;

/** Nothing, and nothing left out. */
export const emptyExcerpt: Excerpt = { head: '', tail: '', omitted: null, tokens: 0 };

/** As much of some lines as fits a budget, and what was left out, counted. */
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
  const bytes = lines.bytes - byteLength(texts.head) - byteLength(texts.tail);
  return { ...texts, omitted: { bytes, ...omittedLines(lines, head, tail) }, tokens };
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

/** All of it; null where it is more than the limits allow, which mostly shows without reading it. */
function wholeWithin(lines: Stretches, limits: Limits): string | null {
  if (lines.count > limits.lines || lines.bytes > limits.bytes) return null;
  if (lines.bytes > limits.tokens * maxBytesPerToken) return null;
  const text = [...lines.forward()].join('\n');
  return estimatedTokens(text) > limits.tokens ? null : text;
}

/** What was taken from one end: whole lines, and perhaps a part of one more, which is the only one. */
interface Taken {
  readonly texts: string[];
  readonly whole: number;
}

const nothing: Taken = { texts: [], whole: 0 };

/** Takes lines while they fit; of a first one that is too long, what `cut` leaves of it. */
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
    bytes += byteLength(text) + (texts.length > 0 ? 1 : 0);
    // A little too much, for each line is rounded up: never over the limit.
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

/** The longest beginning that fits, cut between characters. */
function cutHead(text: string, limits: Limits): string {
  const length = longest(text.length, (units) => fits(text.slice(0, units), limits));
  return text.slice(0, characterStart(text, length));
}

/** The longest end that fits. */
function cutTail(text: string, limits: Limits): string {
  const length = longest(text.length, (units) => fits(text.slice(text.length - units), limits));
  return text.slice(characterEnd(text, text.length - length));
}

function fits(text: string, { bytes, tokens }: Limits): boolean {
  return byteLength(text) <= bytes && estimatedTokens(text) <= tokens;
}

/** The largest number up to `max` for which `holds`, which holds for all smaller ones. */
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

function byteLength(text: string): number {
  return encodeUtf8(text).length;
}
