import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../steps/run.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { generators as declared } from './generated.table.mjs';
import { listFiles } from './source-files.mjs';

/** @typedef {import('./generated.table.mjs').Generator} Generator */

/** @type {import('./gate.mjs').Gate} */
export const generated = {
  name: 'generated',
  holds: 'generated files are what their generators make (`npm run generate`)',
  run: (root) => compareGenerated(root, declared),
};

/**
 * Runs each generator into a folder of its own and compares; the working tree is not touched.
 * A `*.gen.*` file that no generator names is a problem too: it would never be made again.
 *
 * @param {string} root
 * @param {readonly Generator[]} generators
 */
export async function compareGenerated(root, generators) {
  const problems = [];
  for (const generator of generators) problems.push(...(await generatorProblems(root, generator)));
  const outputs = generators.flatMap((each) => each.outputs);
  problems.push(
    ...listFiles(root, ['src', 'docs', 'scripts', 'test'], /\.gen\.[a-z]+$/)
      .filter((path) => !outputs.includes(path))
      .map((path) => `${path} is made by no generator of scripts/gates/generated.table.mjs`),
  );
  if (outputs.length === 0) problems.push('saw no generated file');
  return { seen: counted(outputs.length, 'generated file'), problems };
}

/**
 * @param {string} root
 * @param {Generator} generator
 * @returns {Promise<string[]>}
 */
async function generatorProblems(root, { script, outputs }) {
  if (!existsSync(join(root, script))) return [`there is no ${script}`];
  const out = mkdtempSync(join(tmpdir(), 'vtr-generated-'));
  try {
    const made = await runNode(join(root, script), ['--out', out], { cwd: root });
    if (made.status !== 0) return [`${script} failed:\n${made.output}`];
    return outputs.flatMap((path) =>
      outputProblem(join(root, path), join(out, path), path, script),
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * @param {string} committed
 * @param {string} fresh
 * @param {string} path
 * @param {string} script
 */
function outputProblem(committed, fresh, path, script) {
  if (!existsSync(fresh)) return [`${script} does not make ${path}`];
  if (!existsSync(committed)) return [`${path} is missing; npm run generate`];
  const [have, want] = [committed, fresh].map((file) => readFileSync(file, 'utf8').split('\n'));
  if (have === undefined || want === undefined) return [];
  const line = want.findIndex((text, index) => text !== have[index]);
  if (line === -1 && have.length === want.length) return [];
  const at = line === -1 ? want.length : line;
  return [
    `${path}:${at + 1} differs from what ${script} makes; npm run generate\n` +
      `- ${have[at] ?? '(end)'}\n+ ${want[at] ?? '(end)'}`,
  ];
}

await runWhenMain(import.meta.url, generated);
