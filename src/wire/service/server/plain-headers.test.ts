import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/run/runs.ts';
import { Headers as PlainHeaders } from './plain-headers.ts';

type AnyHeaders = Pick<Headers, 'append' | 'set' | 'delete' | 'get' | 'has' | 'getSetCookie'>;

const some = fc.constantFrom(
  'a',
  'A',
  'set-cookie',
  'Set-Cookie',
  'x-bin',
  '__proto__',
  'constructor',
);
const character = fc.constantFrom(...'ab ,;=\t\r\n\0\x7f\x80ÿĀ😀'.split(''));
const text = fc.array(character, { maxLength: 5 }).map((all) => all.join(''));
const name = fc.oneof({ weight: 4, arbitrary: some }, text);
const pair = fc.tuple(name, text);

const act = fc.oneof(
  pair.map(
    ([of, value]) =>
      (headers: AnyHeaders) =>
        headers.append(of, value),
  ),
  pair.map(
    ([of, value]) =>
      (headers: AnyHeaders) =>
        headers.set(of, value),
  ),
  name.map((of) => (headers: AnyHeaders) => headers.delete(of)),
  name.map((of) => (headers: AnyHeaders) => headers.get(of)),
  name.map((of) => (headers: AnyHeaders) => headers.has(of)),
  fc.constant((headers: AnyHeaders) => headers.getSetCookie()),
);

/** What a call returns, or that it throws a TypeError. */
function resultOf<T>(call: () => T): T | string {
  try {
    return call();
  } catch (error) {
    return (error as Error).name;
  }
}

function contentsOf(headers: Headers | PlainHeaders) {
  const visited: string[] = [];
  headers.forEach((value, key) => {
    visited.push(key, value);
  });
  return {
    visited,
    all: [...headers],
    entries: [...headers.entries()],
    keys: [...headers.keys()],
    values: [...headers.values()],
  };
}

it('headers are those of Node, whatever is done with them', () => {
  const property = fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
    const [plain, nodes] = [new PlainHeaders(), new Headers()];
    for (const each of acts) {
      expect(resultOf(() => each(plain))).toEqual(resultOf(() => each(nodes)));
      expect(contentsOf(plain)).toEqual(contentsOf(nodes));
    }
    expect(contentsOf(new PlainHeaders(plain))).toEqual(contentsOf(new Headers(nodes)));
  });
  fc.assert(property, runs(500));
});

it('headers are made of what those of Node are made of', () => {
  // Node's class loses a property of this name.
  const property = name.filter((each) => each !== '__proto__');
  const init = fc.oneof(fc.array(pair, { maxLength: 5 }), fc.dictionary(property, text));
  const law = fc.property(init, (init) => {
    const result = resultOf(() => contentsOf(new PlainHeaders(init)));
    expect(result).toEqual(resultOf(() => contentsOf(new Headers(init))));
  });
  fc.assert(law, runs(500));
  expect(contentsOf(new PlainHeaders(null))).toEqual(contentsOf(new Headers()));
});
