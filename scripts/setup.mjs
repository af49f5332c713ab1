import { root } from './root.mjs';
import { bundle } from './steps/bundle.mjs';
import { compile } from './steps/compile.mjs';
import { copyScripts } from './steps/copy-scripts.mjs';
import { checkNodeVersion } from './steps/node-version.mjs';
import { installPackages } from './steps/packages.mjs';

/**
 * Makes a fresh clone ready: Node checked, packages installed as the lockfile says, sources
 * compiled. What is there already is left alone. Progress goes to stderr; what the tools print is
 * shown only when they fail.
 *
 * This file and what it imports use nothing but Node's own modules, and no syntax younger than
 * Node 14.8, so that an older Node gets as far as the message.
 *
 * @param {{ build?: boolean }} [options] `build: false` leaves the compiler out
 * @throws StepFailed
 */
export async function setUp({ build = true } = {}) {
  checkNodeVersion(root);
  await installPackages(root);
  if (!build) return;
  await compile(root);
  copyScripts(root);
  await bundle(root);
}
