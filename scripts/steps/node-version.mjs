import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StepFailed } from './step-failed.mjs';

/** @param {string} version e.g. `20.19` or `v20.19.0` */
const numbers = (version) =>
  version
    .replace(/^[^0-9]*/, '')
    .split('.')
    .map(Number);

/**
 * @param {string} version of Node, e.g. `20.19.0`
 * @param {string} floor the lowest supported version, e.g. `>=20.19`
 */
export function isNodeVersionEnough(version, floor) {
  const have = numbers(version);
  for (const [index, minimum] of numbers(floor).entries()) {
    const part = have[index] ?? 0;
    if (part !== minimum) return part > minimum;
  }
  return true;
}

/**
 * Fails when Node is older than `engines` in package.json.
 *
 * @param {string} root
 */
export function checkNodeVersion(root) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (isNodeVersionEnough(process.versions.node, engines.node)) return;
  throw new StepFailed(
    `vtr needs Node ${engines.node}; this is ${process.version} (${process.execPath}). ` +
      'Install a newer version from https://nodejs.org or with your version manager, then try again.',
  );
}
