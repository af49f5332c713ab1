import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from '../steps/run.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { generators as declared } from './generated.table.mjs';
import { listFiles } from './source-files.mjs';

/** @typedef {import('./generated.table.mjs').Generator} Generator */

/** @type {import('./gate.mjs').Gate} */
export const generated = {
  name: 'generated',
  holds: 'generated files are up to date (`npm run generate`)',
  run: (root) => compareGenerated(root, declared),
};

/**
 * Runs each generator and compares its output with the committed file. A `*.gen.*` file without a
 * generator is a problem too.
 *
 * @param {string} root
 * @param {readonly Generator[]} generators
 */
export async function compareGenerated(root, generators) {
  const problems = [];
  for (const generator of generators) problems.push(...(await generatorProblems(root, generator)));
  problems.push(
    ...listFiles(root, ['src', 'docs', 'scripts', 'test'], /\.gen\.[a-z]+$/)
      .filter((path) => !generators.some((each) => each.output === path))
      .map((path) => `${path} has no generator in scripts/gates/generated.table.mjs`),
  );
  if (generators.length === 0) problems.push('saw no generated file');
  return { seen: counted(generators.length, 'generated file'), problems };
}

/**
 * @param {string} root
 * @param {Generator} generator
 * @returns {Promise<string[]>}
 */
async function generatorProblems(root, { script, args = [], output }) {
  if (!existsSync(join(root, script))) return [`there is no ${script}`];
  if (!existsSync(join(root, output))) return [`${output} is missing; npm run generate`];
  const result = await runNode(join(root, script), args, { cwd: root });
  if (result.status !== 0) return [`${script} failed:\n${result.output}`];
  if (result.stdout === '') return [`${script} prints nothing`];
  const difference = firstDifference(readFileSync(join(root, output), 'utf8'), result.stdout);
  if (difference === undefined) return [];
  return [`${output} differs from the output of ${script}; npm run generate\n${difference}`];
}

/**
 * @param {string} have
 * @param {string} want
 * @returns {string | undefined} the first line that differs, as committed and as generated
 */
function firstDifference(have, want) {
  if (have === want) return undefined;
  const [haveLines, wantLines] = [have.split('\n'), want.split('\n')];
  const at = wantLines.findIndex((line, index) => line !== haveLines[index]);
  const index = at === -1 ? wantLines.length : at;
  const shown = (/** @type {string | undefined} */ line) => line ?? '(end of file)';
  return `line ${index + 1}\n- ${shown(haveLines[index])}\n+ ${shown(wantLines[index])}`;
}

await runWhenMain(import.meta.url, generated);
