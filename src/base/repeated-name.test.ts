import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedJsonName } from '#base';
import { runs } from '../../test/support/run/runs.ts';

describe('repeatedJsonName', () => {
  it('finds nothing in a value that was written once', () => {
    const property = fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      expect(repeatedJsonName(JSON.stringify(value, null, indent))).toBeNull();
    });
    fc.assert(property, runs(300));
  });

  it('finds a name that is given twice, anywhere', () => {
    const name = fc.string({ minLength: 1 });
    const property = fc.property(fc.jsonValue(), name, fc.jsonValue(), (outer, twice, value) => {
      const json = JSON.stringify(value);
      const object = `{${JSON.stringify(twice)}:${json}, ${escaped(twice)} : ${json}}`;
      expect(repeatedJsonName(object)).toBe(twice);
      expect(repeatedJsonName(`[${JSON.stringify(outer)}, ${object}]`)).toBe(twice);
    });
    fc.assert(property, runs(300));
  });

  it('tells where it is', () => {
    expect(repeatedJsonName('{"a":[{"b":1},{"b":"\\"","c\\\\":{},"b":2}]}')).toBe('a.b');
  });
});

/** The same string, each character escaped. */
const escaped = (text: string): string =>
  `"${text
    .split('')
    .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;
