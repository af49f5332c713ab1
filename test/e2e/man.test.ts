import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allVerbs } from '#app/cli';
import { root } from '../../scripts/root.mjs';
import { needs } from '../support/run/needs.ts';

const directory = join(root, 'dist/man');
const pages = readdirSync(directory).sort();
const files = pages.map((page) => join(directory, page));

/** @returns what a program prints about all pages */
const said = (program: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(program, [...args, ...files], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '90' },
    maxBuffer: 2 ** 26,
    timeout: 120_000,
  });
  return { status, stdout, stderr };
};

describe('the manual', () => {
  it('has a page for each verb, which npm installs', async () => {
    const verbs = (await allVerbs()).map(({ name }) => `vtr-${name.replaceAll(' ', '-')}.1`);
    expect(pages).toEqual(['vtr.1', 'termcp.1', ...verbs].sort());
    const { man } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(man.sort()).toEqual(pages.map((page) => `./dist/man/${page}`));
  });

  needs('mandoc')('has no warning of mandoc', () => {
    expect(said('mandoc', '-T', 'lint', '-W', 'warning')).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });

  needs('man')('has no warning of man, and shows text as it was declared', async () => {
    const { status, stdout, stderr } = said('man', '--warnings', '-l');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const words = stdout.replace(/.\x08|\x1b\[[\d;]*m/g, '').replace(/\s+/g, ' ');
    for (const { examples } of await allVerbs()) {
      for (const { line } of examples) expect(words).toContain(line.replace(/\s+/g, ' '));
    }
  });
});
