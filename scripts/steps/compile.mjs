import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './run.mjs';
import { StepFailed } from './step-failed.mjs';
import { tools } from './tools.mjs';

const outputs = ['dist', 'build'];

/** @param {string} root */
export function removeBuild(root) {
  for (const folder of outputs) rmSync(join(root, folder), { recursive: true, force: true });
}

/**
 * Compiles what is stale of the package (dist) and of what runs on top of it (build). The compiler
 * keeps its notes in the folder that they describe, so that a deleted folder is built again.
 * Tests are left to the types gate: a test may be run before it compiles.
 *
 * @param {string} root
 */
export async function compile(root) {
  if (!existsSync(join(root, 'dist'))) process.stderr.write('setup: compiling (tsc -b)\n');
  const args = ['-b', 'tsconfig.tools.json', '--pretty', 'false'];
  const { status, output } = await runNode(tools.tsc, args, { cwd: root });
  if (status !== 0) throw new StepFailed('the sources do not compile, see above', output);
}
