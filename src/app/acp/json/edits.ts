import { elements, isArray, isObject, member, members, type Span } from './spans.ts';

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
  const found = member(text, object.start, key);
  return found !== null && isObject(text, found) ? found : null;
}

/** Returns the member if it is an array. @throws NotJson */
export function arrayIn(text: Uint8Array, object: Span, key: string): Span | null {
  const found = member(text, object.start, key);
  return found !== null && isArray(text, found) ? found : null;
}
