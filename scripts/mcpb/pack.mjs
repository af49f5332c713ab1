import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';
import { tools } from '../steps/tools.mjs';
import { stage } from './stage.mjs';

/**
 * Makes the bundle; its manifest is validated on the way.
 *
 * @param {string} root
 * @param {ReadonlyMap<string, string>} packages tarballs of the PTY binding, by name
 * @param {string} file
 */
export async function pack(root, packages, file) {
  const folder = mkdtempSync(join(tmpdir(), 'vtr-mcpb-'));
  try {
    await stage(root, folder, packages);
    const { status, output } = await runNode(tools.mcpb, ['pack', folder, file], { cwd: root });
    if (status !== 0) throw new StepFailed('the bundle could not be packed, see above', output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
