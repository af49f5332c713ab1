import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './run.mjs';
import { StepFailed } from './step-failed.mjs';
import { tools } from './tools.mjs';

const outputs = ['dist', 'build'];

/** @param {string} root */
export function removeBuild(root) {
  for (const directory of outputs) rmSync(join(root, directory), { recursive: true, force: true });
}

/**
 * Compiles the stale files of the package (dist) and of the demo and the benchmarks (build). The
 * compiler keeps its build information in its output directory, so that a deleted directory is built
 * again. The gate `types` compiles the tests: a test may run before it compiles.
 *
 * @param {string} root
 */
export async function compile(root) {
  if (!existsSync(join(root, 'dist'))) process.stderr.write('setup: compiling (tsc -b)\n');
  const args = ['-b', 'tsconfig.tools.json', '--pretty', 'false'];
  const { status, output } = await runNode(tools.tsc, args, { cwd: root });
  if (status !== 0) throw new StepFailed('the sources do not compile, see above', output);
}
