import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../steps/run.mjs';
import { StepFailed } from '../steps/step-failed.mjs';
import { tools } from '../steps/tools.mjs';
import { stage } from './stage.mjs';

/**
 * Validates the manifest and makes the bundle.
 *
 * @param {string} root
 * @param {ReadonlyMap<string, string>} packages tarballs of the PTY binding, by name
 * @param {string} file
 */
export async function pack(root, packages, file) {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-mcpb-'));
  try {
    await stage(root, directory, packages);
    const { status, output } = await runNode(tools.mcpb, ['pack', directory, file], { cwd: root });
    if (status !== 0) throw new StepFailed('the bundle could not be packed, see above', output);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
