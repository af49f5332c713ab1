import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allVerbs } from '#app/cli';
import { root } from '../../scripts/root.mjs';
import { Place } from '../support/command/vtr-command.ts';

const directory = join(root, 'test/e2e/verbs');
const verbs = await allVerbs();

it('every verb has end-to-end tests', () => {
  const shown = readdirSync(directory).flatMap((file) => {
    const text = readFileSync(join(directory, file), 'utf8');
    return [...text.matchAll(/^describe\('vtr (.*)', /gm)].map(([, name]) => name);
  });
  expect(shown.sort()).toEqual(verbs.map(({ name }) => name).sort());
});

describe.each(verbs)('vtr $name', ({ name, flags }) => {
  it('has help with a usage, its flags and an example', async () => {
    const help = await new Place().ok(...name.split(' '), '--help');
    expect(help).toMatch(new RegExp(`^usage: vtr ${name}`));
    for (const flag of Object.keys(flags)) expect(help).toContain(`--${flag}`);
    expect(help).toMatch(/^examples:\n {2}\S/m);
  });
});

describe('vtr config', () => {
  it.each([[['config', '--help']], [['config', '-h']], [['help', 'config']]])(
    'has help that lists the verbs of the group: vtr %j',
    async (words) => {
      const help = await new Place().ok(...words);
      expect(help).toMatch(/^usage: vtr config VERB/);
      for (const { name, summary } of verbs.filter((verb) => verb.name.startsWith('config '))) {
        expect(help).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
      }
    },
  );

  it('alone is refused, with the verbs of the group', async () => {
    const { status, stderr } = await new Place().vtr(['config']);
    expect(status).toBe(2);
    expect(stderr).toContain('vtr config ls, vtr config add, vtr config rm, vtr config resolve');
  });
});
