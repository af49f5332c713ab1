import { describe, expect, it } from 'vitest';
import { requirements } from '../../scripts/gates/requirements.mjs';
import { tree } from '../support/tree.ts';

const rows = (...lines: string[]) =>
  ['| id | promise | state |', '|---|---|---|', ...lines].join('\n');

async function problemsIn(document: string, test: string): Promise<readonly string[]> {
  const root = tree({ 'docs/requirements.md': document, 'test/a.test.ts': test });
  return (await requirements.run(root)).problems;
}

describe('gate requirements', () => {
  it('passes when every row marked built has a test, and no other', async () => {
    const document = rows(
      '| S1.01 | a | built |',
      '| S1.02 | b `x\\|y` | |',
      '',
      '| id | promise | state |',
      '|---|---|---|',
      '| S2.01 | c | built |',
      '| S2.02 | d | built |',
    );
    const test = "it('[S1.01] a', f); describe(`[S2.01, S2.02] ${'x'} c`, f);";
    expect(await problemsIn(document, test)).toEqual([]);
  });

  it.each([
    ["test('[S1.01] a', f);"],
    ["it.each([1, 2])('[S1.01] %i', f);"],
    ["it.each`a\n${'1'}`('[S1.01] $a', f);"],
    ["it.skipIf(x)('[S1.01] a', f);"],
    ["needs('vim')('[S1.01] a', f);"],
    ["it('[S1.01] a' + b, f);"],
    ["it(`[S1.01] ${'x'}`, f);"],
  ])('finds the id in %s', async (test) => {
    expect(await problemsIn(rows('| S1.01 | a | built |'), test)).toEqual([]);
  });

  it.each([
    ["const title = '[S1.01] a';"],
    ["// it('[S1.01] a')"],
    ["note('[S1.01] a', f);"],
    ["it('a [S1.1x]', f);"],
  ])('does not count as a test: %s', async (test) => {
    expect(await problemsIn(rows('| S1.01 | a | built |'), test)).toEqual([
      'S1.01 is marked built and has no test',
    ]);
  });

  it('finds ids next to the sources and in shared suites', async () => {
    const root = tree({
      'docs/requirements.md': rows('| S1.01 | a | built |', '| S1.02 | b | built |'),
      'src/vt/a.test.ts': "it('[S1.01] a', f);",
      'test/contract/suite.ts': "export const suite = () => it('[S1.02] b', f);",
    });
    expect((await requirements.run(root)).problems).toEqual([]);
  });

  it.each([
    [
      '| S1.01 | a | |',
      "it('[S1.01] a', f);",
      'S1.01 has a test (test/a.test.ts:1); mark it built',
    ],
    [
      '| S1.01 | a | |',
      "it('[S9.01] a', f);",
      'test/a.test.ts:1 has S9.01, which is not in docs/requirements.md',
    ],
    ['| S1.01 | a | nearly |', '', 'S1.01 is marked "nearly"; mark it built, or leave it empty'],
    ['| S1.01 | a | |\n| S1.01 | b | |', '', 'S1.01 is twice in docs/requirements.md'],
    ['| S1.01 | | |', '', 'S1.01 has no promise'],
  ])('refuses %s with %s', async (row, test, problem) => {
    expect(await problemsIn(rows(row), test)).toEqual([problem]);
  });

  it('fails on an empty tree', async () => {
    expect((await requirements.run(tree())).problems).toEqual(['there is no docs/requirements.md']);
    expect(await problemsIn('# nothing', "it('a', f);")).toEqual([
      'saw no row in docs/requirements.md',
    ]);
    const untested = tree({ 'docs/requirements.md': rows('| S1.01 | a | |') });
    expect((await requirements.run(untested)).problems).toEqual(['saw no test file']);
  });
});
