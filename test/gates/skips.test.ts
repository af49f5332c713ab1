import { describe, expect, it } from 'vitest';
import { skips } from '../../scripts/gates/skips.mjs';
import { tree } from '../support/tree.ts';

const problemsIn = async (test: string) =>
  (await skips.run(tree({ 'src/vt/a.test.ts': test }))).problems;

describe('gate skips', () => {
  it.each([
    ["it('a', f);"],
    ["needs('vim')('a', f);"],
    ["provided(linux, 'only on Linux: reads /proc')('a', f);"],
    ["it.skipIf(mac)('a (only on Linux: reads /proc)', f);"],
    ["describe.runIf(linux)('a (skipped elsewhere: no /proc)', f);"],
    ["it.fails('a', f);"],
  ])('passes on %s', async (test) => {
    expect(await problemsIn(test)).toEqual([]);
  });

  it.each([
    ["it.only('a', f);"],
    ["describe.only('a', f);"],
    ["it.todo('a');"],
    ["it.only.each([1])('a', f);"],
    ["it('a', { only: true }, f);"],
    ["it.only(`a ${'b'}`, f);"],
    ["it.concurrent.only('a (only on Linux)', f);"],
  ])('refuses %s', async (test) => {
    expect(await problemsIn(test)).toEqual([expect.stringMatching(/is not allowed$/)]);
  });

  it.each([
    ["it.skip('a', f);"],
    ["describe.skip('a', f);"],
    ["it.skipIf(mac)('a', f);"],
    ["it.runIf(linux)('a (sometimes)', f);"],
    ["it('a', { skip: true }, f);"],
  ])('requires a reason in %s', async (test) => {
    expect(await problemsIn(test)).toEqual([expect.stringContaining('has no reason')]);
  });

  it('fails on an empty tree', async () => {
    expect((await skips.run(tree())).problems).toEqual(['saw no test']);
    expect(await problemsIn('export {};')).toEqual(['saw no test']);
  });
});
