/** The position of a value in a JSON text (RFC 8259), in bytes; `end` is after its last byte. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly key: string;
  readonly value: Span;
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The text is not valid JSON, or ends early. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
  /** The member of the object whose value is invalid; null if the error is not in a value. */
  member: string | null = null;
}

/**
 * Yields the members of the object at `start`, in order; none if there is no object. Reads only as far
 * as the caller iterates. Values are skipped, not checked: the receiver of the text parses them.
 *
 * @returns the offset after the object
 * @throws NotJson
 */
export function* members(text: Uint8Array, start: number): Generator<Member, number> {
  let at = skipSpace(text, start);
  if (text[at] !== openBrace) return at;
  at = skipSpace(text, at + 1);
  while (text[at] !== closeBrace) {
    const keyEnd = skipString(text, at);
    const key = parse(text, { start: at, end: keyEnd }) as string;
    at = skipSpace(text, expect(text, skipSpace(text, keyEnd), colon));
    const value = { start: at, end: skipMember(text, at, key) };
    yield { key, value };
    at = nextItem(text, value.end, closeBrace);
  }
  return at + 1;
}

/** Yields the elements of the array at `start`; none if there is no array. @throws NotJson */
export function* elements(text: Uint8Array, start: number): Generator<Span, void> {
  let at = skipSpace(text, start);
  if (text[at] !== openBracket) return;
  at = skipSpace(text, at + 1);
  while (text[at] !== closeBracket) {
    const value = { start: at, end: skipValue(text, at) };
    yield value;
    at = nextItem(text, value.end, closeBracket);
  }
}

/** Returns a member of the object at `start`: the last of that name, as in parsers. @throws NotJson */
export function member(text: Uint8Array, start: number, key: string): Span | null {
  let span: Span | null = null;
  for (const each of members(text, start)) if (each.key === key) span = each.value;
  return span;
}

export function isObject(text: Uint8Array, { start }: Span): boolean {
  return text[start] === openBrace;
}

function isArray(text: Uint8Array, { start }: Span): boolean {
  return text[start] === openBracket;
}

/** Parses a value. @throws NotJson */
export function parse(text: Uint8Array, { start, end }: Span): unknown {
  try {
    return JSON.parse(raw(text, { start, end }));
  } catch (error) {
    throw new NotJson((error as Error).message);
  }
}

/** Returns a value's JSON text. */
export function raw(text: Uint8Array, { start, end }: Span): string {
  return Buffer.from(text.buffer, text.byteOffset + start, end - start).toString('utf8');
}

function nextItem(text: Uint8Array, from: number, close: number): number {
  const at = skipSpace(text, from);
  if (text[at] === close) return at;
  const next = skipSpace(text, expect(text, at, comma));
  // A trailing comma is not valid.
  if (text[next] === close) throw new NotJson(`nothing after the comma at byte ${at}`);
  return next;
}

function expect(text: Uint8Array, at: number, byte: number): number {
  if (text[at] === byte) return at + 1;
  throw new NotJson(`no ${String.fromCharCode(byte)} at byte ${at}`);
}

/** Returns the offset of the next byte that is not whitespace. */
export function skipSpace(text: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = text[at];
    if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) return at;
    at++;
  }
}

function skipString(text: Uint8Array, from: number): number {
  let at = expect(text, from, quote);
  for (;;) {
    const end = text.indexOf(quote, at);
    if (end === -1) throw new NotJson(`the string at byte ${from} has no end`);
    at = end + 1;
    if (!isEscaped(text, end)) return at;
  }
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(text: Uint8Array, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === backslash) count++;
  return count % 2 === 1;
}

/** @throws NotJson with the member's name */
function skipMember(text: Uint8Array, from: number, key: string): number {
  try {
    return skipValue(text, from);
  } catch (error) {
    if (error instanceof NotJson) error.member = key;
    throw error;
  }
}

/** @throws NotJson */
function skipValue(text: Uint8Array, from: number): number {
  const first = text[from];
  if (first === quote) return skipString(text, from);
  if (first === openBrace || first === openBracket) return skipNested(text, from);
  let at = from;
  while (isLiteral(text[at])) at++;
  if (at === from) throw new NotJson(`no value at byte ${from}`);
  return at;
}

function skipNested(text: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const byte = text[at];
    if (byte === quote) at = skipString(text, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  throw new NotJson(`the value at byte ${from} has no end`);
}

/** A character of a number, `true`, `false` or `null`: letters, digits, and `+ - .` */
function isLiteral(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

/** A part of a text and its replacement; an empty part is an insertion. */
export interface Edit extends Span {
  readonly text: string;
}

/** Returns the text with the edits applied, which must not overlap. All other bytes stay unchanged. */
export function edited(text: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.subarray(at, edit.start), Buffer.from(edit.text));
    at = edit.end;
  }
  return Buffer.concat([...parts, text.subarray(at)]);
}

/** Returns the edit that sets a member: replaces its value, or inserts it as the first. @throws NotJson */
export function setMember(text: Uint8Array, object: Span, key: string, value: string): Edit {
  const old = member(text, object.start, key);
  if (old !== null) return { ...old, text: value };
  const isEmpty = members(text, object.start).next().done;
  const at = object.start + 1;
  return { start: at, end: at, text: `${JSON.stringify(key)}:${value}${isEmpty ? '' : ','}` };
}

/** Returns the edit that appends an element to an array. @throws NotJson */
export function append(text: Uint8Array, array: Span, value: string): Edit {
  const isEmpty = elements(text, array.start).next().done;
  const at = array.end - 1;
  return { start: at, end: at, text: `${isEmpty ? '' : ','}${value}` };
}

/** Returns the member if it is an object. @throws NotJson */
export function objectIn(text: Uint8Array, object: Span, key: string): Span | null {
  const span = member(text, object.start, key);
  return span !== null && isObject(text, span) ? span : null;
}

/** Returns the member if it is an array. @throws NotJson */
export function arrayIn(text: Uint8Array, object: Span, key: string): Span | null {
  const span = member(text, object.start, key);
  return span !== null && isArray(text, span) ? span : null;
}
