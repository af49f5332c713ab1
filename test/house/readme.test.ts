import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allVerbs, usageOf } from '#app/cli';
import { root } from '../../scripts/root.mjs';

it('the README lists every verb as it is declared', async () => {
  const rows = (await allVerbs()).map((verb) => `| \`${usageOf(verb)}\` | ${verb.summary} |`);
  const table = ['| | |', '|---|---|', ...rows].join('\n');
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, listed] = /<!-- verbs -->\n(.*?)\n<!-- \/verbs -->/s.exec(readme) ?? [];
  expect(listed).toBe(table);
});
