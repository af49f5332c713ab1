import { VtrError } from '#model';

/** A value in a text of JSON, with its place. */
export type JsonPlace = { readonly from: number; readonly to: number } & (
  | { readonly type: 'object'; readonly members: readonly JsonMember[] }
  | { readonly type: 'array'; readonly items: readonly JsonPlace[] }
  | { readonly type: 'other'; readonly value: unknown }
);

export interface JsonMember {
  readonly key: string;
  /** Where the key begins. */
  readonly from: number;
  readonly value: JsonPlace;
}

/** Deeper texts are refused. */
const maxDepth = 100;

/** What JSON5 and editors' settings allow in addition: comments, and a comma after the last entry. */
const blank = /(?:[\s\ufeff]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const string = /"(?:[^"\\\x00-\x1f]|\\.)*"/y;
const word = /[-+\w.]+/y;

/** Reads JSON with comments, and keeps where each value is. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws VtrError INVALID_ARGUMENT, with line and column */
  read(): JsonPlace {
    const value = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong();
    return value;
  }

  #value(depth: number): JsonPlace {
    this.#skip();
    if (depth > maxDepth) throw this.#wrong();
    const from = this.#at;
    const first = this.#text[from];
    if (first === '{') return this.#object(from, depth);
    if (first === '[') return this.#array(from, depth);
    const token = first === '"' ? this.#take(string) : this.#take(word);
    try {
      return { type: 'other', from, to: this.#at, value: JSON.parse(token) };
    } catch {
      this.#at = from;
      throw this.#wrong();
    }
  }

  #object(from: number, depth: number): JsonPlace {
    const members: JsonMember[] = [];
    this.#entries('}', () => {
      const at = this.#at;
      const key = JSON.parse(this.#take(string)) as string;
      this.#skip();
      if (this.#text[this.#at] !== ':') throw this.#wrong();
      this.#at++;
      members.push({ key, from: at, value: this.#value(depth + 1) });
    });
    return { type: 'object', from, to: this.#at, members };
  }

  #array(from: number, depth: number): JsonPlace {
    const items: JsonPlace[] = [];
    this.#entries(']', () => items.push(this.#value(depth + 1)));
    return { type: 'array', from, to: this.#at, items };
  }

  #entries(end: string, read: () => void): void {
    this.#at++;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === end) break;
      read();
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at++;
      else if (this.#text[this.#at] !== end) throw this.#wrong();
    }
    this.#at++;
  }

  #skip(): void {
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [token] = pattern.exec(this.#text) ?? [];
    if (token === undefined) throw this.#wrong();
    this.#at += token.length;
    return token;
  }

  #wrong(): VtrError {
    const before = this.#text.slice(0, this.#at);
    const line = before.split('\n').length;
    const col = this.#at - before.lastIndexOf('\n');
    return new VtrError('INVALID_ARGUMENT', `line ${line}, column ${col}: this is not JSON`);
  }
}

/** Reads JSON, also with comments. @throws VtrError INVALID_ARGUMENT with line and column */
export const readJsonPlaces = (text: string): JsonPlace => new Reader(text).read();

/**
 * Returns what is left of a text from which something was removed; null if that is no more than vtr writes into a new
 * file, so that the file can be removed.
 *
 * @param base the content of such a new file. Comments are content of their own.
 */
export function leftOf(before: string, after: string, base: unknown): string | null {
  if (after === before) return after;
  try {
    return JSON.stringify(JSON.parse(after)) === JSON.stringify(base) ? null : after;
  } catch {
    return after;
  }
}

/** Returns the value at a place. */
export function valueAt(place: JsonPlace): unknown {
  if (place.type === 'other') return place.value;
  if (place.type === 'array') return place.items.map(valueAt);
  return Object.fromEntries(place.members.map(({ key, value }) => [key, valueAt(value)]));
}

/** Returns the value of a member; null if there is none. Of several, the last one counts, as for all parsers. */
export const memberOf = (place: JsonPlace, key: string): JsonPlace | null =>
  place.type === 'object'
    ? (place.members.findLast((member) => member.key === key)?.value ?? null)
    : null;

/** Where an entry of an object or an array is. */
interface Span {
  readonly from: number;
  readonly to: number;
}

const entriesOf = (place: JsonPlace): readonly Span[] => {
  if (place.type === 'array') return place.items;
  if (place.type === 'other') return [];
  return place.members.map(({ from, value }) => ({ from, to: value.to }));
};

/**
 * Returns a text with one more entry at the end of an object or an array. All else stays as it is.
 *
 * @param key the name of a member; null in an array
 */
export function withEntry(
  text: string,
  container: JsonPlace,
  key: string | null,
  value: unknown,
): string {
  const end = container.to - 1;
  const unit = indentUnit(text);
  const outer = indentAt(text, container.from);
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const inner = `${newline}${outer}${unit}`;
  const json = JSON.stringify(value, null, unit).replaceAll('\n', inner);
  const piece = `${inner}${key === null ? '' : `${JSON.stringify(key)}: `}${json}`;
  const last = entriesOf(container).at(-1);
  // Behind comments after the last entry.
  const at = text.slice(0, end).trimEnd().length;
  const rest = /[\r\n]/.test(text.slice(at, end)) ? '' : `${newline}${outer}`;
  if (last === undefined) return `${text.slice(0, at)}${piece}${rest}${text.slice(at)}`;
  const comma = commaAfter(text, last.to);
  if (comma !== null) return `${text.slice(0, at)}${piece},${rest}${text.slice(at)}`;
  return `${text.slice(0, last.to)},${text.slice(last.to, at)}${piece}${rest}${text.slice(at)}`;
}

/** Returns a text without one entry of an object or an array. All else stays as it is. */
export function withoutEntry(text: string, container: JsonPlace, index: number): string {
  const entries = entriesOf(container);
  const { from, to } = entries[index] as Span;
  const start = text.slice(0, from).trimEnd().length;
  const comma = commaAfter(text, to);
  if (entries.length === 1) {
    const left = `${text.slice(container.from + 1, start)}${text.slice((comma ?? to - 1) + 1, container.to - 1)}`;
    const rest = left.trim() === '' ? '' : left;
    return `${text.slice(0, container.from + 1)}${rest}${text.slice(container.to - 1)}`;
  }
  if (comma !== null) return `${text.slice(0, start)}${text.slice(comma + 1)}`;
  // The comma before the last one goes with it.
  const before = commaAfter(text, (entries[index - 1] as Span).to) ?? start;
  return `${text.slice(0, before)}${text.slice(before + 1, start)}${text.slice(to)}`;
}

/** Returns a text with another value at a place. */
export function withValue(text: string, { from, to }: Span, value: unknown): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const json = JSON.stringify(value, null, indentUnit(text));
  const placed = json.replaceAll('\n', `${newline}${indentAt(text, from)}`);
  return `${text.slice(0, from)}${placed}${text.slice(to)}`;
}

/** Returns the place of the comma behind an entry; null if there is none. */
function commaAfter(text: string, at: number): number | null {
  blank.lastIndex = at;
  const place = at + (blank.exec(text)?.[0].length ?? 0);
  return text[place] === ',' ? place : null;
}

/** The indentation of the line of a place. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The indentation of one level: that of the first indented line. */
const indentUnit = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
