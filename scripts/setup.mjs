import { root } from './root.mjs';
import { bundle } from './steps/bundle.mjs';
import { compile } from './steps/compile.mjs';
import { copyData } from './steps/copy-data.mjs';
import { manPages } from './steps/man-pages.mjs';
import { checkNodeVersion } from './steps/node-version.mjs';
import { notices } from './steps/notices.mjs';
import { installPackages } from './steps/packages.mjs';
import { webPage } from './steps/web-page.mjs';

/**
 * Prepares a clone: checks Node's version, installs the packages of the lockfile and compiles the
 * sources. It repeats no step whose result is current. Progress goes to stderr; the output of a tool
 * is printed only when the tool fails.
 *
 * This file and its imports use only Node's own modules and the syntax of Node 14.8, so that an older
 * Node prints the message about its version.
 *
 * @param {{ build?: boolean }} [options] `build: false` does not compile
 * @throws StepFailed
 */
export async function setUp({ build = true } = {}) {
  checkNodeVersion(root);
  await installPackages(root);
  if (!build) return;
  await compile(root);
  copyData(root);
  await webPage(root);
  await bundle(root);
  await manPages(root);
  notices(root);
}
