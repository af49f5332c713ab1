import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  append,
  edited,
  elements,
  member,
  members,
  NotJson,
  parse,
  setMember,
} from '../json-spans.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const whole = (bytes: Uint8Array) => ({ start: 0, end: bytes.length });

/** Writes a value with whitespace and escapes that JSON allows. */
function written(value: unknown, blank: () => string): string {
  if (Array.isArray(value)) {
    return `[${blank()}${value.map((each) => written(each, blank)).join(`${blank()},${blank()}`)}${blank()}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(
      ([key, each]) => `${JSON.stringify(key)}${blank()}:${blank()}${written(each, blank)}`,
    );
    return `{${blank()}${parts.join(`${blank()},${blank()}`)}${blank()}}`;
  }
  return JSON.stringify(value);
}

const texts = fc
  .tuple(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.constantFrom('', ' ', '\t', '\r\n '), { minLength: 1 }),
  )
  .map(([value, blanks]) => {
    let at = 0;
    const blank = () => blanks[at++ % blanks.length] ?? '';
    return { value, given: bytes(`${blank()}${written(value, blank)}`) };
  });

describe('members and elements', () => {
  it('find the same as a parser in any text', () => {
    const property = fc.property(texts, ({ value, given }) => {
      const entries = [...members(given, 0)].map(({ key, value: span }) => [
        key,
        parse(given, span),
      ]);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      expect(entries).toEqual(isObject ? Object.entries(value) : []);
      const items = [...elements(given, 0)].map((span) => parse(given, span));
      expect(items).toEqual(Array.isArray(value) ? value : []);
    });
    fc.assert(property);
  });

  it('throw only NotJson, and always end', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'null', ' ', 'é'),
    );
    const property = fc.property(pieces, (parts) => {
      const input = bytes(parts.join(''));
      for (const read of [members, elements]) {
        try {
          for (const _each of read(input, 0));
        } catch (error) {
          expect(error).toBeInstanceOf(NotJson);
        }
      }
    });
    fc.assert(property);
  });

  it.each([
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":1,}',
    '{"a" 1}',
    '{a:1}',
    '{"a":"',
    '{"a":[}',
  ])('refuse %s', (json) => {
    expect(() => [...members(bytes(json), 0)]).toThrow(NotJson);
  });

  it('return the last of several members of a name, as parsers do', () => {
    const input = bytes('{"a":1,"b":2,"\\u0061":3}');
    const span = member(input, 0, 'a');
    expect(span && parse(input, span)).toBe(3);
  });

  it('find the end of a string after backslashes', () => {
    const input = bytes(String.raw`{"a":"\"}\\","b":"\\\\"}`);
    expect([...members(input, 0)].map(({ value }) => parse(input, value))).toEqual([
      '"}\\',
      '\\\\',
    ]);
  });
});

describe('edits', () => {
  it.each([
    ['{}', '{"x":true}'],
    ['{ "a": 1 }', '{"x":true, "a": 1 }'],
    ['{"a":1,"x":false}', '{"a":1,"x":true}'],
    ['{"x" : null , "a":1}', '{"x" : true , "a":1}'],
  ])('set a member of %s', (before, after) => {
    const input = bytes(before);
    expect(text(edited(input, [setMember(input, whole(input), 'x', 'true')]))).toBe(after);
  });

  it.each([
    ['[]', '[true]'],
    ['[ ]', '[ true]'],
    ['[1, [2]]', '[1, [2],true]'],
  ])('append to %s', (before, after) => {
    const input = bytes(before);
    expect(text(edited(input, [append(input, whole(input), 'true')]))).toBe(after);
  });

  it('leave all other bytes unchanged', () => {
    const property = fc.property(fc.uint8Array(), fc.uint8Array(), fc.string(), (a, b, put) => {
      const input = Buffer.concat([a, b]);
      const result = edited(input, [{ start: a.length, end: a.length, text: put }]);
      expect(Buffer.concat([a, bytes(put), b]).equals(result)).toBe(true);
    });
    fc.assert(property);
  });
});
