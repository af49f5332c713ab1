import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareGenerated } from '../../scripts/gates/generated.mjs';
import { tree } from '../support/tree.ts';

const makes = (text: string) => `
import { mkdirSync, writeFileSync } from 'node:fs';
const out = process.argv[3];
mkdirSync(out + '/docs', { recursive: true });
writeFileSync(out + '/docs/a.md', ${JSON.stringify(text)});
`;
const table = [{ script: 'scripts/make.mjs', outputs: ['docs/a.md'] }];

async function problemsIn(files: Record<string, string>): Promise<readonly string[]> {
  return (await compareGenerated(tree(files), table)).problems;
}

describe('gate generated', () => {
  it('is green when the committed file is what the generator makes', async () => {
    const files = { 'scripts/make.mjs': makes('one\n'), 'docs/a.md': 'one\n' };
    expect(await problemsIn(files)).toEqual([]);
  });

  it('shows the first line that differs, and leaves the file alone', async () => {
    const root = tree({ 'scripts/make.mjs': makes('one\ntwo\n'), 'docs/a.md': 'one\n2\n' });
    expect((await compareGenerated(root, table)).problems).toEqual([
      'docs/a.md:2 differs from what scripts/make.mjs makes; npm run generate\n- 2\n+ two',
    ]);
    expect(readFileSync(join(root, 'docs/a.md'), 'utf8')).toBe('one\n2\n');
  });

  it.each([
    ['a line too many', 'one\n', 'one\n\n'],
    ['a line too few', 'one\n\n', 'one\n'],
  ])('sees %s', async (_what, made, committed) => {
    const files = { 'scripts/make.mjs': makes(made), 'docs/a.md': committed };
    expect(await problemsIn(files)).toEqual([expect.stringContaining('docs/a.md')]);
  });

  it.each([
    [
      'a missing output',
      { 'scripts/make.mjs': makes('') },
      'docs/a.md is missing; npm run generate',
    ],
    [
      'an idle generator',
      { 'scripts/make.mjs': '', 'docs/a.md': '' },
      'scripts/make.mjs does not make docs/a.md',
    ],
    ['a missing generator', { 'docs/a.md': '' }, 'there is no scripts/make.mjs'],
    [
      'an orphan',
      { 'scripts/make.mjs': makes(''), 'docs/a.md': '', 'src/vt/b.gen.ts': '' },
      'src/vt/b.gen.ts is made by no generator of scripts/gates/generated.table.mjs',
    ],
  ])('refuses %s', async (_what, files, problem) => {
    expect(await problemsIn(files)).toEqual([problem]);
  });

  it('shows what a failing generator says', async () => {
    const files = { 'scripts/make.mjs': "throw new Error('no source');", 'docs/a.md': '' };
    expect(await problemsIn(files)).toEqual([expect.stringContaining('no source')]);
  });

  it('is red on nothing', async () => {
    expect((await compareGenerated(tree(), [])).problems).toEqual(['saw no generated file']);
  });
});
