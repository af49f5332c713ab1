// Prints package.json, with the pages of the manual that npm installs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageNames } from './man/manual.mjs';
import { root } from './root.mjs';

const { man: _, ...own } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const man = (await pageNames()).sort().map((name) => `./dist/man/${name}.1`);
// The pages come after the commands.
const fields = Object.entries(own).flatMap(([key, value]) =>
  key === 'bin' ? Object.entries({ bin: value, man }) : [[key, value]],
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`);
