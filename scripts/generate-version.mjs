// Prints src/model/version.gen.ts: the version of the package, for rooms that cannot read files.
import { readFileSync } from 'node:fs';
import { root } from './root.mjs';

/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
process.stdout.write(`// Made by scripts/generate-version.mjs from package.json.

/** The version of this package. */
export const version = '${version}';
`);
