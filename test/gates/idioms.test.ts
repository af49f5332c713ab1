import { describe, expect, it } from 'vitest';
import { idioms } from '../../scripts/gates/idioms.mjs';
import { tree } from '../support/tree.ts';

const problemsIn = async (text: string, path = 'src/vt/a.ts') =>
  (await idioms.run(tree({ [path]: text }))).problems;

describe('gate idioms', () => {
  it.each([['const a = { ...{ b, c }, d };'], ['const a = { ...({ b }) };']])(
    'wants the properties of %s in the literal',
    async (text) => {
      expect(await problemsIn(text)).toEqual([
        'src/vt/a.ts:1: write the properties in the literal, not in one that is spread into it',
      ]);
      expect(await problemsIn(text, 'bench/a.ts')).toHaveLength(1);
    },
  );

  it.each([['const a = { ...b, c };'], ['f(...[a, b]);'], ['const a = { b: { c } };']])(
    'passes on %s',
    async (text) => {
      expect(await problemsIn(text)).toEqual([]);
    },
  );

  it.each([['f(...([a, b] as const));'], ['new F(c, ...([a, b] as const));']])(
    'wants the arguments of %s in the call',
    async (text) => {
      expect(await problemsIn(text)).toEqual([
        'src/vt/a.ts:1: write the arguments in the call, not in an array that is spread into it',
      ]);
    },
  );

  it.each([
    ['const a = { ...(b === undefined ? {} : { b }) };'],
    ['const a = { ...(b === null ? {} : { c: b }) };'],
    ['const a = { ...(b.c !== undefined ? { c: b.c } : {}) };'],
    ['const a = { ...(b !== undefined && { b }) };'],
    ['const a = { ...(b && { b }) };'],
    ['const a = { ...(this.#b == null ? {} : { b: this.#b }) };'],
  ])('wants defined() in %s', async (text) => {
    expect(await problemsIn(text)).toEqual([
      'src/vt/a.ts:1: write ...defined({ ... }) for fields that are left out without a value',
    ]);
    // These may not open #base.
    expect(await problemsIn(text, 'src/libc/a.ts')).toEqual([]);
  });

  it.each([
    ['const a = { ...(b === undefined ? {} : { c: f(b) }) };'],
    ['const a = { ...(b > 1 ? { b } : { c }) };'],
    ['const a = [...(b === undefined ? [] : [b])];'],
    ['const a = { ...defined({ b }) };'],
  ])('passes on %s', async (text) => {
    expect(await problemsIn(text)).toEqual([]);
  });

  const list = ['a', 'b', 'c', 'd', 'e'];
  const classWith = (parameter: string, lines: readonly string[]) =>
    `class A { constructor(${parameter}) { ${lines.join(' ')} } }`;

  it.each([
    [
      classWith(
        'parts: Parts',
        list.map((each) => `this.#${each} = parts.${each};`),
      ),
    ],
    [
      classWith(
        '{ a, b, c, d, e }: Parts',
        list.map((each) => `this.#${each} = ${each};`),
      ),
    ],
  ])('wants the parts to be kept in %s', async (text) => {
    expect(await problemsIn(text, 'src/pty/a.ts')).toEqual([
      'src/pty/a.ts:1: keep the object of the parts, this.#parts, instead of copies of its fields',
    ]);
  });

  it.each([
    [classWith('parts: Parts', ['this.#parts = parts;'])],
    [
      classWith(
        'a, b, c, d, e',
        list.map((each) => `this.#${each} = ${each};`),
      ),
    ],
    [
      classWith(
        'parts: Parts',
        list.slice(1).map((each) => `this.#${each} = parts.${each};`),
      ),
    ],
  ])('passes on %s', async (text) => {
    expect(await problemsIn(text, 'src/pty/a.ts')).toEqual([]);
  });

  it.each([['a.catch(() => {});'], ['void b?.c().catch(() => {});']])(
    'wants a reason in %s',
    async (text) => {
      expect(await problemsIn(text)).toEqual([
        "src/vt/a.ts:1: write ignored(promise, 'why') for a failure without consequence",
      ]);
    },
  );

  it.each([['a.catch(() => null);'], ['a.catch((error) => {});'], ["ignored(a, 'why');"]])(
    'passes on %s',
    async (text) => {
      expect(await problemsIn(text)).toEqual([]);
    },
  );

  it('fails on an empty tree', async () => {
    expect((await idioms.run(tree())).problems).toEqual(['saw no file']);
  });

  it.each([
    ['const found = 1;'],
    ['const [a, { b: sent }, ...told] = c;', 2],
    ['function f({ a: kept = 1 }, ...given) {}', 2],
    ['class A { #seen = 1; #made() {} }', 2],
    ['class A { found = 1; made() {} }', 2],
    ['interface A { held: B; kept(): C }', 2],
    ['type A = (asked: B) => C;'],
    ['try {} catch (known) {}'],
  ])('wants the names of things in %s', async (text, count = 1) => {
    const problem = 'src/vt/a.ts:1: name the thing, not what happened to it';
    expect(await problemsIn(text)).toEqual(Array(count).fill(problem));
    expect(await problemsIn(text, 'bench/a.ts')).toHaveLength(count);
  });

  it.each([
    ['const { sent, told = 1 } = a;'],
    ['const isKnown = a.known;'],
    ['const a = { found: 1 };'],
  ])('passes on %s', async (text) => {
    expect(await problemsIn(text)).toEqual([]);
  });
});
