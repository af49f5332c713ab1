import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../../scripts/root.mjs';
import { type OnEnd, tree } from '../tree.ts';
import { vtrFile } from './vtr-command.ts';

/**
 * Returns the file of a copy of the command that every user can read; the checkout may be private.
 *
 * @param packages directories of node_modules that it needs
 */
export function publicVtrFile(packages: readonly string[] = [], onEnd?: OnEnd): string {
  const directory = tree({}, onEnd);
  for (const path of ['dist', ...packages.map((each) => `node_modules/${each}`)]) {
    cpSync(join(root, path), join(directory, path), { recursive: true });
  }
  execFileSync('chmod', ['-R', 'go+rX', directory]);
  return join(directory, 'dist', basename(vtrFile));
}
