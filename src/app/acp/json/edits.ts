import { elements, isArray, isObject, member, members, type Span } from './spans.ts';

/** A part of a text, and what is to stand there; an empty part is a place. */
export interface Edit extends Span {
  readonly text: string;
}

/** The text with its edits, which do not overlap; all else byte for byte. */
export function edited(text: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(text.subarray(at, edit.start), Buffer.from(edit.text));
    at = edit.end;
  }
  return Buffer.concat([...parts, text.subarray(at)]);
}

/** Sets a member of an object, by its place or as the first. @throws NotJson */
export function setMember(text: Uint8Array, object: Span, key: string, value: string): Edit {
  const old = member(text, object.start, key);
  if (old !== null) return { ...old, text: value };
  const isEmpty = members(text, object.start).next().done;
  const at = object.start + 1;
  return { start: at, end: at, text: `${JSON.stringify(key)}:${value}${isEmpty ? '' : ','}` };
}

/** Adds to the end of an array. @throws NotJson */
export function append(text: Uint8Array, array: Span, value: string): Edit {
  const isEmpty = elements(text, array.start).next().done;
  const at = array.end - 1;
  return { start: at, end: at, text: `${isEmpty ? '' : ','}${value}` };
}

/** The member where it is an object. @throws NotJson */
export function objectIn(text: Uint8Array, object: Span, key: string): Span | null {
  const found = member(text, object.start, key);
  return found !== null && isObject(text, found) ? found : null;
}

/** The member where it is an array. @throws NotJson */
export function arrayIn(text: Uint8Array, object: Span, key: string): Span | null {
  const found = member(text, object.start, key);
  return found !== null && isArray(text, found) ? found : null;
}
