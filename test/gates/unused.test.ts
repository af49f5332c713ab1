import { describe, expect, it } from 'vitest';
import { unused } from '../../scripts/gates/unused.mjs';
import { tree } from '../support/tree.ts';

const sound = {
  'package.json': '{ "name": "fixture", "type": "module" }',
  'knip.jsonc': '{ "entry": ["src/index.ts"], "project": ["src/**/*.ts"] }',
  'src/index.ts': "import { used } from './a.ts';\nconsole.log(used);",
  'src/a.ts': 'export const used = 1;',
};

const problemsIn = async (files: Record<string, string>) =>
  (await unused.run(tree({ ...sound, ...files }))).problems.join('\n');

describe('gate unused', () => {
  it('passes when everything is used', async () => {
    expect(await unused.run(tree(sound))).toEqual({ seen: '2 files', problems: [] });
  });

  it.each([
    ['a file', { 'src/orphan.ts': 'export {};' }, 'src/orphan.ts'],
    ['an export', { 'src/a.ts': 'export const used = 1;\nexport const spare = 2;' }, 'spare'],
    ['a dependency', { 'package.json': '{ "dependencies": { "left-pad": "1" } }' }, 'left-pad'],
    [
      'a package that is not declared',
      { 'src/a.ts': "export { used } from 'left-pad';" },
      'left-pad',
    ],
    [
      'a setting that matches nothing',
      { 'knip.jsonc': '{ "entry": ["src/index.ts", "gone.ts"], "project": ["src/**/*.ts"] }' },
      'gone.ts',
    ],
  ])('fails on %s', async (_what, files, name) => {
    expect(await problemsIn(files)).toContain(name);
  });

  it('fails on an empty tree', async () => {
    const root = tree({ 'package.json': '{}', 'knip.jsonc': '{ "project": ["src/**/*.ts"] }' });
    expect((await unused.run(root)).problems).toContain('saw no file');
    expect((await unused.run(tree())).problems).toContain('saw no file');
  });
});
