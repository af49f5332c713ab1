import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './root.mjs';

/**
 * Writes a generator's output: below the repository, or below the folder of `--out`, which is how
 * the gate `generated` asks for a copy to compare.
 *
 * @param {string} path relative to the repository
 * @param {string} text
 */
export function writeGenerated(path, text) {
  const { out = root } = parseArgs({ options: { out: { type: 'string' } } }).values;
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
