import { describe, expect, it } from 'vitest';
import { format } from '../../scripts/gates/format.mjs';
import { tree } from '../support/tree.ts';

const config = '{ "formatter": { "indentStyle": "space" } }\n';

describe('gate format', () => {
  it('passes on formatted files', async () => {
    const root = tree({ 'biome.json': config, 'a.ts': 'export const a = 1;\n' });
    expect(await format.run(root)).toEqual({ seen: '2 files', problems: [] });
  });

  it.each([
    ['another format', 'export const a = 1\n', 'differs from formatting output'],
    ['an error of lint', 'export const a = 1;\nexport const b = a == 1;\n', 'noDoubleEquals'],
    ['a warning of lint', 'const a = 1;\nexport {};\n', 'noUnusedVariables'],
  ])('fails on %s', async (_what, text, message) => {
    const { problems } = await format.run(tree({ 'biome.json': config, 'a.ts': text }));
    expect(problems.join('\n')).toContain(message);
  });

  it('fails on an empty tree', async () => {
    expect((await format.run(tree())).problems).toContain('saw no file');
  });
});
