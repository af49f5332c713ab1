import { describe, expect, it } from 'vitest';
import { compareGenerated } from '../../scripts/gates/generated.mjs';
import { tree } from '../support/tree.ts';

const prints = (text: string) => `process.stdout.write(${JSON.stringify(text)});`;
const table = [{ script: 'scripts/make.mjs', output: 'docs/a.md' }];

async function problemsIn(files: Record<string, string>): Promise<readonly string[]> {
  return (await compareGenerated(tree(files), table)).problems;
}

describe('gate generated', () => {
  it('passes when the committed file equals the output of the generator', async () => {
    const files = { 'scripts/make.mjs': prints('one\n'), 'docs/a.md': 'one\n' };
    expect(await problemsIn(files)).toEqual([]);
  });

  it.each([
    ['another line', 'one\n2\n', 'one\ntwo\n', 'line 2\n- 2\n+ two'],
    ['a line too many', 'one\n\n', 'one\n', 'line 3\n- \n+ (end of file)'],
    ['a line too few', 'one\n', 'one\n\n', 'line 3\n- (end of file)\n+ '],
  ])('shows %s', async (_what, committed, text, difference) => {
    const files = { 'scripts/make.mjs': prints(text), 'docs/a.md': committed };
    expect(await problemsIn(files)).toEqual([
      `docs/a.md differs from the output of scripts/make.mjs; npm run generate\n${difference}`,
    ]);
  });

  it.each([
    [
      'a missing file',
      { 'scripts/make.mjs': prints('a') },
      'docs/a.md is missing; npm run generate',
    ],
    [
      'an idle generator',
      { 'scripts/make.mjs': '', 'docs/a.md': '' },
      'scripts/make.mjs prints nothing',
    ],
    ['a missing generator', { 'docs/a.md': '' }, 'there is no scripts/make.mjs'],
    [
      'an orphan',
      { 'scripts/make.mjs': prints('a'), 'docs/a.md': 'a', 'src/vt/b.gen.ts': '' },
      'src/vt/b.gen.ts has no generator in scripts/gates/generated.table.mjs',
    ],
  ])('refuses %s', async (_what, files, problem) => {
    expect(await problemsIn(files)).toEqual([problem]);
  });

  it('shows the output of a failing generator', async () => {
    const files = { 'scripts/make.mjs': "throw new Error('no source');", 'docs/a.md': '' };
    expect(await problemsIn(files)).toEqual([expect.stringContaining('no source')]);
  });

  it('fails on an empty tree', async () => {
    expect((await compareGenerated(tree(), [])).problems).toEqual(['saw no generated file']);
  });
});
