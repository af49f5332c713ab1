import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import {
  ansiModes,
  controlFunctions,
  dcsFunctions,
  decModes,
  fixedAnsiModes,
  oscFunctions,
} from '#vt/functions';
import { root } from '../../scripts/root.mjs';
import { withoutTexts } from '../../scripts/steps/without-texts.mjs';

/** The sources of a bundle of which it contains code. */
async function bundled(entry: string, options: BuildOptions = {}) {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(root, entry)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['vtr-source'],
    outdir: root,
    minify: true,
    logLevel: 'silent',
    plugins: [withoutTexts],
    ...options,
  } as BuildOptions & { metafile: true; write: false });
  const [output = { inputs: {} }] = Object.values(metafile.outputs);
  const sources = Object.entries(output.inputs).filter(
    ([, { bytesInOutput }]) => bytesInOutput > 0,
  );
  return { sources: sources.map(([path]) => path), code: outputFiles[0]?.text ?? '' };
}

/** Texts that only docs/sequences.md needs. Short ones may occur elsewhere. */
const texts = [
  ...[...controlFunctions, ...dcsFunctions, ...oscFunctions].flatMap(
    ({ meaning, operations = [] }) => [meaning, ...operations.map((each) => each.meaning)],
  ),
  ...[...ansiModes, ...decModes, ...fixedAnsiModes].map(({ meaning }) => meaning),
].filter((text) => text.length > 16);

const textsIn = (code: string) => texts.filter((text) => code.includes(text));

describe('the engine', () => {
  it.each([
    ['of a viewer', 'src/vt/index.ts', {}],
    [
      'of the page',
      'src/web/main.tsx',
      { jsx: 'automatic', jsxImportSource: 'preact', platform: 'browser' },
    ],
  ] as const)(
    '%s has no code for saving and for tests, and no texts of its tables',
    async (_whose, entry, options) => {
      const { sources, code } = await bundled(entry, options);
      expect(sources).toContain('src/vt/terminal.ts');
      expect(sources.filter((path) => /^src\/vt\/(saving|checks|library)\//.test(path))).toEqual(
        [],
      );
      expect(textsIn(code)).toEqual([]);
    },
  );

  it('has no texts of its tables in the programs of vtr', () => {
    const bundles = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.cjs'));
    const codes = bundles.map((name) => readFileSync(join(root, 'dist', name), 'utf8'));
    expect(codes.filter((code) => code.includes('applySgr')).length).toBeGreaterThan(3);
    expect(codes.flatMap(textsIn)).toEqual([]);
  });

  it('is not in the first bundle of attach, which loads it after the first picture', () => {
    const read = (name: string) => readFileSync(join(root, 'dist', name), 'utf8');
    expect(read('vtr-vt.cjs')).toContain('applySgr');
    for (const name of ['vtr-tui.cjs', 'vtr-mirror.cjs'])
      expect(read(name)).not.toContain('applySgr');
  });

  it('needs nothing of Node and no package where it is imported alone', async () => {
    const { sources } = await bundled('src/vt/library/index.ts');
    expect(sources.filter((path) => !/^src\/(vt|base|model)\//.test(path))).toEqual([]);
  });
});
