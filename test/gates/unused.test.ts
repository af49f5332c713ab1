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

  it('fails on a file, an export, a dependency, an undeclared package and a needless setting', async () => {
    const problems = await problemsIn({
      'package.json':
        '{ "name": "fixture", "type": "module", "dependencies": { "left-pad": "1" } }',
      'knip.jsonc': '{ "entry": ["src/index.ts", "gone.ts"], "project": ["src/**/*.ts"] }',
      'src/index.ts': "import { used } from './a.ts';\nconsole.log(used);\nimport 'right-pad';",
      'src/a.ts': 'export const used = 1;\nexport const spare = 2;',
      'src/orphan.ts': 'export {};',
    });
    for (const name of ['src/orphan.ts', 'spare', 'left-pad', 'right-pad', 'gone.ts']) {
      expect(problems).toContain(name);
    }
  });

  it('fails on an empty tree', async () => {
    const root = tree({ 'package.json': '{}', 'knip.jsonc': '{ "project": ["src/**/*.ts"] }' });
    expect((await unused.run(root)).problems).toContain('saw no file');
    expect((await unused.run(tree())).problems).toContain('saw no file');
  });
});
