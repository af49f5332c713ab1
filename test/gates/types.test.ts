import { describe, expect, it } from 'vitest';
import { types } from '../../scripts/gates/types.mjs';
import { tree } from '../support/tree.ts';

const options = { composite: true, rootDir: '.', outDir: 'dist', strict: true, types: [] };
const project = (include: string[], more: object = {}) =>
  JSON.stringify({ compilerOptions: { ...options, ...more }, include });

const sound = {
  'tsconfig.json': JSON.stringify({
    files: [],
    references: [{ path: './tsconfig.pure.json' }, { path: './tsconfig.node.json' }],
  }),
  'tsconfig.pure.json': project(['src/vt']),
  'tsconfig.node.json': project(['src/pty'], { tsBuildInfoFile: 'dist/node.tsbuildinfo' }),
  'src/vt/a.ts': 'export const a: number = 1;',
  'src/pty/b.ts': 'export const b: number = 1;',
};

const problemsIn = async (files: Record<string, string>) =>
  (await types.run(tree({ ...sound, ...files }))).problems;

describe('gate types', () => {
  it('passes on sources that compile', async () => {
    expect(await types.run(tree(sound))).toEqual({ seen: '2 files in 2 projects', problems: [] });
  });

  it('fails on a type error', async () => {
    const problems = await problemsIn({ 'src/vt/a.ts': "export const a: number = '1';" });
    expect(problems.join('\n')).toContain('src/vt/a.ts(1,14): error TS2322');
  });

  it('fails on a source in no project', async () => {
    expect(await problemsIn({ 'bench/main.ts': 'export {};' })).toEqual([
      'bench/main.ts is not in a project',
    ]);
  });

  it('fails when a pure room is in another project', async () => {
    const files = {
      'tsconfig.pure.json': project(['src/base']),
      'tsconfig.node.json': project(['src/pty', 'src/vt']),
      'src/base/a.ts': 'export {};',
    };
    expect(await problemsIn(files)).toEqual([
      'src/vt/a.ts is pure, and in the project tsconfig.node.json',
    ]);
  });

  it('fails when the pure project has the types of a platform', async () => {
    const problems = await problemsIn({
      'tsconfig.pure.json': project(['src/vt'], { types: ['node'] }),
    });
    expect(problems).toContain('tsconfig.pure.json has the types of node');
  });

  it('fails on an empty tree', async () => {
    expect((await types.run(tree())).problems).toContain('saw no file');
    const empty = tree({ 'tsconfig.json': '{ "files": [], "references": [] }' });
    expect((await types.run(empty)).problems).toContain('saw no file');
  });
});
