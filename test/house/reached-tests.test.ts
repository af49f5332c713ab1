import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedFiles, reachedTests } from '../../scripts/reached-tests.mjs';
import { tree } from '../support/tree.ts';

/** A project with tests of two rooms, of the command, of a golden file and of the page. */
const project = {
  'vitest.config.ts': `export default { setupFiles: './test/support/set-up.ts', exclude: ['src/a/a.test.ts'] };`,
  'package.json': '{}',
  'README.md': '',
  'notes.txt': '',
  'scripts/test.mjs': `import './steps/set-up.mjs';`,
  'scripts/steps/set-up.mjs': '',
  'src/a/index.ts': `export { a } from './a.ts'; export { other } from './other.ts';`,
  'src/a/a.ts': 'export const a = 1;',
  'src/a/other.ts': 'export const other = 1; export interface Shape {}',
  'src/a/a.test.ts': `import { a } from './a.ts';`,
  'src/b/index.ts': `export { b } from './b.ts';`,
  'src/b/b.ts': `import { a } from '#a'; import type { Shape } from '../a/other.ts'; export const b = a;`,
  'src/b/b.test.ts': `import { b } from './b.ts';`,
  'src/app/cli/main.ts': `import { b } from '#b'; import { verbs } from './verbs/index.ts';`,
  'src/app/cli/verbs/index.ts': `export const verbs = {
  look: async () => (await import('./look.ts')).look,
  'sign up': async () => (await import('./sign.ts')).signUp,
};`,
  'src/app/cli/verbs/look.ts': 'export const look = 1;',
  'src/app/cli/verbs/sign.ts': 'export const signUp = 1;',
  'src/web/main.tsx': `import './page.ts';`,
  'src/web/page.ts': '',
  'test/support/set-up.ts': '',
  'test/support/command.ts': `export const file = join(root, 'dist/vtr.cjs');`,
  'test/support/signed.ts': `import { file } from './command.ts'; export const signed = [file, 'sign'];`,
  'test/e2e/look.test.ts': `import { file } from '../support/command.ts'; run(file, 'look --all');`,
  'test/e2e/sign.test.ts': `import { signed } from '../support/signed.ts'; run(signed);`,
  'test/e2e/web.test.ts': `import { file } from '../support/command.ts'; run(file, 'web');`,
  'test/golden/cases/one.json': '',
  'test/golden/cases.test.ts': `const directory = 'test/golden/cases';`,
  'test/soak/long.soak.ts': '',
};

const e2e = ['test/e2e/look.test.ts', 'test/e2e/sign.test.ts', 'test/e2e/web.test.ts'];

describe('the tests that a change reaches', () => {
  it.each([
    ['a test itself', 'src/a/a.test.ts', ['src/a/a.test.ts']],
    [
      'those that import it, also by the door of its room, and those of the command',
      'src/a/a.ts',
      ['src/a/a.test.ts', 'src/b/b.test.ts', ...e2e],
    ],
    ['none where only its types are used', 'src/a/other.ts', []],
    ['those that run the command and name its verb', 'src/app/cli/verbs/look.ts', [e2e[0]]],
    ['those whose support names its verb', 'src/app/cli/verbs/sign.ts', [e2e[1]]],
    ['all of the command for what all verbs use', 'src/app/cli/verbs/index.ts', e2e],
    ['those of the page', 'src/web/page.ts', [e2e[2]]],
    ['those that name its directory', 'test/golden/cases/one.json', ['test/golden/cases.test.ts']],
    ['none for a document that no test reads', 'README.md', []],
    ['none for a soak', 'test/soak/long.soak.ts', []],
  ])('are %s', (_what, changed, tests) => {
    const root = tree(project);
    expect(reachedTests(root, [changed])).toEqual({ tests, count: 6, unknown: null });
  });

  it.each([
    ['package.json', 'package.json concerns all tests'],
    ['vitest.config.ts', 'vitest.config.ts concerns all tests'],
    ['scripts/steps/set-up.mjs', 'scripts/steps/set-up.mjs concerns all tests'],
    ['test/support/set-up.ts', 'test/support/set-up.ts concerns all tests'],
    ['notes.txt', 'no file names notes.txt'],
  ])('are all for %s', (changed, unknown) => {
    const { tests, ...reach } = reachedTests(tree(project), ['src/a/a.test.ts', changed]);
    expect(tests).toHaveLength(6);
    expect(reach).toEqual({ count: 6, unknown });
  });

  it('are none for a file that is gone: its users have changed', () => {
    const root = tree(project);
    expect(reachedTests(root, ['src/a/gone.ts']).tests).toEqual([]);
  });
});

it('changed files are those that differ, that are gone and that are new', async () => {
  const root = tree({ 'same.ts': '', 'edited.ts': '', 'gone.ts': '', '.gitignore': 'ignored\n' });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  expect(await changedFiles(root)).toEqual([]);
  writeFileSync(join(root, 'edited.ts'), 'edited');
  rmSync(join(root, 'gone.ts'));
  git('tag', 'before');
  git('commit', '-qam', 'second');
  writeFileSync(join(root, 'new file.ts'), '');
  writeFileSync(join(root, 'ignored'), '');
  expect(await changedFiles(root)).toEqual(['new file.ts']);
  expect(await changedFiles(root, 'before')).toEqual(['edited.ts', 'gone.ts', 'new file.ts']);
  await expect(changedFiles(root, 'nothing')).rejects.toThrow('git merge-base failed');
});
