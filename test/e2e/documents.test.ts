import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { runNode } from '../../scripts/steps/run.mjs';
import { Place, vtrFile } from '../support/command/vtr-command.ts';
import { fencedBlocks } from '../support/run/fenced-blocks.ts';
import { needs } from '../support/run/needs.ts';

/** Those that are not generated. */
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'commands.md')
    .map((name) => `docs/${name}`),
];

const blocksOf = (document: string, language: string): string[] =>
  fencedBlocks(document)
    .filter((block) => block.startsWith(`${language}\n`))
    .map((block) => block.slice(language.length + 1));

/** Documents whose commands are run, in their order. */
const played = documents.filter((document) => blocksOf(document, 'console').length > 0);

/** Puts the built command into a directory of its own, for PATH. */
function binIn(directory: string): string {
  const bin = join(directory, 'bin-of-vtr');
  mkdirSync(bin);
  const file = join(bin, 'vtr');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${vtrFile}" "$@"\n`, { mode: 0o755 });
  return bin;
}

describe('the documents', () => {
  it('have commands that are run, on the page for each kind of reader', () => {
    const pages = ['for-agents', 'for-operators', 'for-testers', 'from-tmux'];
    expect(played).toEqual(
      expect.arrayContaining(['README.md', ...pages.map((page) => `docs/${page}.md`)]),
    );
  });

  needs('bash')('do what they show', async () => {
    const place = new Place();
    const PATH = `${binIn(place.directory)}:${process.env['PATH']}`;
    const files = played.map((document) => join(root, document));
    const { status, stdout } = await place.vtr(['test', ...files], { env: { PATH } });
    expect(stdout).toContain(`${played.length} passed, 0 failed`);
    expect(status).toBe(0);
  });

  it('have programs that print what they show', async () => {
    const programs = blocksOf('docs/for-embedders.md', 'js');
    const outputs = blocksOf('docs/for-embedders.md', 'text');
    expect(programs.length).toBeGreaterThan(2);
    const place = new Place();
    mkdirSync(join(place.directory, 'node_modules'));
    symlinkSync(root, join(place.directory, 'node_modules/vtr'));
    const printed = await Promise.all(
      programs.map(async (program, index) => {
        const file = join(place.directory, `program-${index}.mjs`);
        writeFileSync(file, program);
        return (await runNode(file, [], { cwd: place.directory })).output;
      }),
    );
    expect(printed).toEqual(outputs);
  });
});
