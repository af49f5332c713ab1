import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StepFailed } from './step-failed.mjs';

/**
 * Runs another program in this process, so that signals, the terminal and the exit status need not be
 * passed on.
 *
 * @param {string} file
 * @param {readonly string[]} args `process.argv` of the program, from index 2
 */
export async function runHere(file, args) {
  if (!existsSync(file)) throw new StepFailed(`${file} does not exist`);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}

/**
 * @param {string} root
 * @param {string} name path below `build`, without `.js`
 */
export const built = (root, name) => join(root, 'build', `${name}.js`);
