import { findInString, plainText, rawPlace, rawSpans, unfinishedLength } from './find-secrets.ts';
import { PrivateKeys } from './key-lines.ts';
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
  #keys = new PrivateKeys();
  #buffer = '';
  /** The end of the line before {@link #held}, without control sequences. */
  #context = '';

  constructor(rules: readonly SecretRule[]) {
    this.#rules = rules;
  }

  /** Whether a line begins, and nothing before it matters: clean lines need not be added. */
  get isAtLine(): boolean {
    return this.#buffer === '' && this.#context === '' && this.#keys.isOutside;
  }

  /** Whether the end of the text may be the beginning of a secret. */
  get isHolding(): boolean {
    return this.#buffer !== '';
  }

  /** Whether the text ends within a private key. */
  get isInKey(): boolean {
    return !this.#keys.isOutside;
  }

  /** Returns what can be released after `text` was added. */
  push(text: string): string {
    return this.#release(this.#buffer + text, { isEnd: false });
  }

  /** Returns the text that is held back. */
  end(): string {
    return this.#release(this.#buffer, { isEnd: true });
  }

  /**
   * Returns text that is held back, for a reader who does not wait for more. What may be a secret is shown up to
   * where its beginning tells that it is one. From there on it stays held back.
   *
   * @param isWhole whether nothing continues the text: the rest is then replaced
   */
  settle(isWhole: boolean): string {
    const raw = this.#buffer;
    const { text, stretches } = plainText(raw, this.#context);
    const begun = Math.max(begunFrom(text, this.#rules) ?? text.length, this.#context.length);
    const hides = begun < text.length;
    if (!hides || isWhole) {
      const tail = rawSpans([{ from: begun, to: text.length }], stretches);
      return hidden(this.#release(raw, { isEnd: true }), tail);
    }
    const end = rawPlace(begun, stretches);
    const shown = this.#release(raw.slice(0, end), { isEnd: true });
    this.#buffer = raw.slice(end);
    return shown;
  }

  /**
   * Returns output that draws a screen, without secrets, and continues after it: what is held back is dropped.
   *
   * @param before the lines of that screen up to the cursor: a secret may go on there
   */
  draw(output: string, before: string): string {
    const begun = begunPart(before, this.#rules);
    const drawn = new Redactor(begun === null ? this.#rules : [...this.#rules, begun]);
    const shown = drawn.push(output) + drawn.end();
    this.#keys = new PrivateKeys();
    this.#context = '';
    this.#release(before, { isEnd: true });
    return shown;
  }

  #release(raw: string, { isEnd }: { readonly isEnd: boolean }): string {
    const whole = isEnd ? raw : raw.slice(0, raw.length - unfinishedLength(raw));
    const { text, stretches, strings } = plainText(whole, this.#context);
    const boundary = isEnd ? text.length : this.#heldFrom(text);
    const end = boundary < text.length ? rawPlace(boundary, stretches) : whole.length;
    const spans = rawSpans(this.#find(text, boundary), stretches);
    for (const each of strings) spans.push(...findInString(each, this.#rules));
    const released = text.slice(0, boundary);
    this.#context = released.slice(Math.max(lineBegin(released), boundary - maxContext));
    this.#buffer = raw.slice(end);
    return hidden(raw, spans).slice(0, end);
  }

  /** Returns the secrets in order. */
  #find(text: string, end: number): Span[] {
    const keys = this.#keys.find(text, this.#context.length, end);
    const spans = [...keys, ...this.#rules.flatMap((rule) => [...rule.find(text)])];
    return spans.sort((a, b) => a.from - b.from);
  }

  /** Returns where the text begins that may be the beginning of a secret. */
  #heldFrom(text: string): number {
    const from = Math.max(lineBegin(text), text.length - maxHeld);
    const line = text.slice(from);
    const opens = [this.#keys, ...this.#rules].map((rule) => rule.open(line));
    const start = Math.min(...opens.filter((each) => each >= 0), line.length);
    // Text before it was released.
    return Math.max(from + start, this.#context.length);
  }
}

/** Returns where a secret begins in the last line, if its beginning tells that it is one; else null. */
function begunFrom(text: string, rules: readonly SecretRule[]): number | null {
  const from = Math.max(lineBegin(text), text.length - maxHeld);
  const line = text.slice(from);
  const begun = rules.map((rule) => rule.begun?.(line) ?? -1).filter((each) => each >= 0);
  return begun.length === 0 ? null : from + Math.min(...begun);
}

/** The shortest beginning of a secret that is looked for in a drawn screen, in characters. */
const minPart = 4;

/** Returns a rule that finds the beginning of a secret before the cursor; null if none is known to begin. */
function begunPart(before: string, rules: readonly SecretRule[]): SecretRule | null {
  const at = begunFrom(before, rules);
  if (at === null) return null;
  const from = Math.max(lineBegin(before), before.lastIndexOf(' ', at - 1) + 1);
  const word = before.slice(from);
  if (word.length < minPart) return null;
  return {
    *find(text) {
      for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + 1)) {
        yield { from: index + at - from, to: index + word.length };
      }
    },
    open: () => -1,
  };
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
