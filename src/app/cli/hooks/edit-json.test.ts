import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import {
  type JsonPlace,
  memberOf,
  readJsonPlaces,
  valueAt,
  withEntry,
  withoutEntry,
} from './edit-json.ts';

const commented = `{
  // first
  "a": 1, /* one */
  "list": [
    { "b": true }, // item
  ],
}
`;

const listIn = (text: string): JsonPlace => memberOf(readJsonPlaces(text), 'list') as JsonPlace;

it('reads JSON with comments and commas at the end', () => {
  expect(valueAt(readJsonPlaces(commented))).toEqual({ a: 1, list: [{ b: true }] });
});

it.each([
  ['{"a": }', 'line 1, column 7'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
  ['{} x', 'line 1, column 4'],
  ['', 'line 1, column 1'],
])('tells where %j is wrong', (text, where) => {
  expect(() => readJsonPlaces(text)).toThrow(where);
});

it('adds an entry behind comments, and removes it to the byte', () => {
  const added = withEntry(commented, listIn(commented), null, { c: [1] });
  expect(added).toBe(`{
  // first
  "a": 1, /* one */
  "list": [
    { "b": true }, // item
    {
      "c": [
        1
      ]
    },
  ],
}
`);
  expect(withoutEntry(added, listIn(added), 1)).toBe(commented);
});

it('indents as the file does, with its line ends', () => {
  const text = '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n';
  const inner = memberOf(readJsonPlaces(text), 'a') as JsonPlace;
  expect(withEntry(text, inner, 'c', [2])).toBe(
    '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": [\r\n\t\t\t2\r\n\t\t]\r\n\t}\r\n}\r\n',
  );
});

it('what is added and removed again leaves every text as it was', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }));
  const unit = fc.constantFrom('', '  ', '    ', '\t');
  fc.assert(
    fc.property(json, fc.jsonValue(), unit, fc.boolean(), (value, entry, indent, hasEnd) => {
      const text = `${JSON.stringify(value, null, indent)}${hasEnd ? '\n' : ''}`;
      const added = withEntry(text, readJsonPlaces(text), 'new', entry);
      expect(JSON.parse(added)).toEqual(JSON.parse(JSON.stringify({ ...value, new: entry })));
      const root = readJsonPlaces(added);
      const last = root.type === 'object' ? root.members.length - 1 : 0;
      const removed = withoutEntry(added, root, last);
      expect(JSON.parse(removed)).toEqual(JSON.parse(text));
      if (Object.keys(value).length > 0 && text.includes('\n}')) expect(removed).toBe(text);
    }),
    runs(100),
  );
});
