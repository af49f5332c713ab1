import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { StepFailed } from '../steps/step-failed.mjs';

const defaultFolder = join(root, 'test/golden/cases');

/** The names of all cases, sorted. */
export function caseNames(folder = defaultFolder) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/**
 * @param {string} name
 * @returns {import('./recipe.mjs').GoldenCase}
 */
export function readCase(name, folder = defaultFolder) {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) throw new StepFailed(`there is no case ${file}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * @param {string} name
 * @returns {Buffer} what the program wrote
 */
export const readBytes = (name, folder = defaultFolder) =>
  readFileSync(join(folder, `${name}.bin`));

/**
 * @param {string} name
 * @param {import('./recipe.mjs').GoldenCase} golden
 * @param {Uint8Array} bytes
 */
export function writeCase(name, golden, bytes, folder = defaultFolder) {
  if (!/^[a-z0-9-]+$/.test(name)) {
    throw new StepFailed(`a case is named with letters, digits and dashes, not ${name}`);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.bin`), bytes);
  writeFileSync(join(folder, `${name}.json`), asText(golden));
}

/**
 * JSON to be read and compared by people: a line for each row of a screen, one for a size or cursor.
 *
 * @param {import('./recipe.mjs').GoldenCase} golden
 */
function asText(golden) {
  const text = JSON.stringify(golden, null, 1);
  const short = text.replace(/"(size|cursor)": \{[^{}]*\}/g, (match) => match.replace(/\s+/g, ' '));
  return `${short}\n`;
}
