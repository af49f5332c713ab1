import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usageOf, verbGroups } from '#app/cli';
import { root } from '../../scripts/root.mjs';
import { linksIn } from '../support/run/fenced-blocks.ts';

const markdownIn = (directory: string) =>
  readdirSync(join(root, directory), { encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(directory, name));

const userDocuments = ['README.md', ...markdownIn('docs')];
const documents = [...new Set([...markdownIn('.'), ...userDocuments, ...markdownIn('docs/adr')])];

/** Targets of the links in a document that are files of the repository, without the fragment. */
const linksOf = (document: string) =>
  linksIn(readFileSync(join(root, document), 'utf8')).map((target) =>
    join(dirname(document), target),
  );

describe('the documents', () => {
  it('list every verb as it is declared', async () => {
    const cell = (text: string) => text.replaceAll('|', '\\|');
    const rows = (await verbGroups()).flatMap(([title, verbs]) => [
      `| **${title}** | |`,
      ...verbs.map((verb) => `| \`${cell(usageOf(verb))}\` | ${cell(verb.summary)} |`),
    ]);
    const table = ['| | |', '| --- | --- |', ...rows].join('\n');
    expect(readFileSync(join(root, 'docs/commands.md'), 'utf8')).toContain(`\n${table}\n`);
  });

  it('link only files that exist', () => {
    const broken = documents.flatMap((document) =>
      linksOf(document)
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => `${document}: ${target}`),
    );
    expect(documents.flatMap(linksOf).length).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  it('for users link no decision record', () => {
    const linked = userDocuments.flatMap((document) =>
      linksOf(document)
        .filter((target) => /^docs\/adr\/\d/.test(target))
        .map((target) => `${document}: ${target}`),
    );
    expect(linked).toEqual([]);
  });
});
