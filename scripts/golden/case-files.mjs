import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

const defaultDirectory = join(root, 'test/golden/cases');

/** The names of all cases, sorted. */
export function caseNames(directory = defaultDirectory) {
  const files = existsSync(directory) ? readdirSync(directory) : [];
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/**
 * @param {string} name
 * @returns {import('./recipe.mjs').GoldenCase}
 */
export function readCase(name, directory = defaultDirectory) {
  const file = join(directory, `${name}.json`);
  if (!existsSync(file)) throw new StepFailed(`there is no case ${file}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * @param {string} name
 * @returns {Buffer} the output of the program
 */
export const readBytes = (name, directory = defaultDirectory) =>
  readFileSync(join(directory, `${name}.bin`));

/**
 * @param {string} name
 * @param {import('./recipe.mjs').GoldenCase} golden
 * @param {Uint8Array} bytes
 */
export function writeCase(name, golden, bytes, directory = defaultDirectory) {
  if (!/^[a-z0-9-]+$/.test(name)) {
    throw new StepFailed(`${name} is not a name of letters, digits and dashes`);
  }
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}.bin`), bytes);
  writeFileSync(join(directory, `${name}.json`), asText(golden));
}

/**
 * JSON that people read and compare: one line per row of a screen, one per size and cursor.
 *
 * @param {import('./recipe.mjs').GoldenCase} golden
 */
function asText(golden) {
  const text = JSON.stringify(golden, null, 1);
  const short = text.replace(/"(size|cursor)": \{[^{}]*\}/g, (match) => match.replace(/\s+/g, ' '));
  return `${short}\n`;
}
