import { plainText, rawPlace, rawSpans, unfinishedLength } from './control-sequences.ts';
import { findInString } from './find-secrets.ts';
import { PrivateKeys } from './private-keys.ts';
import type { SecretRule, Span } from './secrets.ts';

/** It takes the place of each character of a secret. */
export const mask = '•';

/** The end of a line that is searched together with the text after it, in characters. */
const maxContext = 512;
/** The most text that is held back, in characters. */
const maxHeld = 8192;

/**
 * Replaces secrets in a stream of output. Sequences that leave the cursor where it is may be within a
 * secret, and so may the borders of events: the beginning of what may be a secret is held back until
 * that is decided. Text keeps its length.
 *
 * A secret that is drawn in pieces, with the cursor moved between them, is not found.
 */
export class Redactor {
  readonly #rules: readonly SecretRule[];
  readonly #keys = new PrivateKeys();
  #held = '';
  /** The end of the line before {@link #held}, without control sequences. */
  #context = '';

  constructor(rules: readonly SecretRule[]) {
    this.#rules = rules;
  }

  /** Whether a line begins, and nothing before it matters: clean lines need not be added. */
  get isAtLine(): boolean {
    return this.#held === '' && this.#context === '' && this.#keys.isOutside;
  }

  /** Returns what can be released after `text` was added. */
  push(text: string): string {
    return this.#release(this.#held + text, false);
  }

  /** Returns the text that is held back. */
  end(): string {
    return this.#release(this.#held, true);
  }

  #release(raw: string, isEnd: boolean): string {
    const whole = isEnd ? raw : raw.slice(0, raw.length - unfinishedLength(raw));
    const { text, stretches, strings } = plainText(whole, this.#context);
    const held = isEnd ? text.length : this.#heldFrom(text);
    const end = held < text.length ? rawPlace(held, stretches) : whole.length;
    const spans = rawSpans(this.#find(text, held), stretches);
    for (const each of strings) spans.push(...findInString(each, this.#rules));
    const released = text.slice(0, held);
    this.#context = released.slice(Math.max(lineBegin(released), held - maxContext));
    this.#held = raw.slice(end);
    return hidden(raw, spans).slice(0, end);
  }

  /** Returns the secrets in order. */
  #find(text: string, held: number): Span[] {
    const keys = this.#keys.find(text, this.#context.length, held);
    const found = [...keys, ...this.#rules.flatMap((rule) => [...rule.find(text)])];
    return found.sort((a, b) => a.from - b.from);
  }

  /** Returns where the text begins that may be the beginning of a secret. */
  #heldFrom(text: string): number {
    const from = Math.max(lineBegin(text), text.length - maxHeld);
    const line = text.slice(from);
    const opens = [this.#keys, ...this.#rules].map((rule) => rule.open(line));
    const held = Math.min(...opens.filter((each) => each >= 0), line.length);
    // Text before it was released.
    return Math.max(from + held, this.#context.length);
  }
}

const lineBegin = (text: string): number =>
  Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;

/** Replaces the characters of the spans, except blanks. */
function hidden(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let result = '';
  let at = 0;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    if (to <= at) continue;
    const begin = Math.max(at, from);
    result += text.slice(at, begin) + text.slice(begin, to).replace(/[^\s]/g, mask);
    at = to;
  }
  return result + text.slice(at);
}
