import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { copyData } from '../../scripts/steps/copy-data.mjs';
import { isNodeVersionEnough } from '../../scripts/steps/node-version.mjs';
import { arePackagesCurrent } from '../../scripts/steps/packages.mjs';
import { tree } from '../support/tree.ts';

describe('isNodeVersionEnough', () => {
  it.each([
    ['20.19.0', true],
    ['20.20.2', true],
    ['v22.1.0', true],
    ['100.0.0', true],
    ['20.18.9', false],
    ['18.99.99', false],
    ['9.20.19', false],
  ])('of %s for >=20.19: %s', (version, enough) => {
    expect(isNodeVersionEnough(version, '>=20.19')).toBe(enough);
  });
});

describe('arePackagesCurrent', () => {
  const one = { version: '1.0.0', integrity: 'sha512-1' };
  const two = { version: '2.0.0', integrity: 'sha512-2' };
  const forMac = { ...two, optional: true };
  const lock = (packages: object) =>
    JSON.stringify({ packages: { '': { name: 'vtr' }, ...packages } });
  const isCurrent = (lockFile: object, installed: object) =>
    arePackagesCurrent(
      tree({
        'package-lock.json': lock(lockFile),
        'node_modules/.package-lock.json': lock(installed),
      }),
    );

  it.each([
    ['the same', { one, two }, { one, two }, true],
    ['one for another platform left out', { one, forMac }, { one }, true],
    ['one missing', { one, two }, { one }, false],
    ['one too many', { one }, { one, two }, false],
    ['another version', { one: two }, { one }, false],
    ['other contents', { one }, { one: { ...one, integrity: 'sha512-3' } }, false],
  ])('%s', (_what, lock, installed, expected) => {
    expect(isCurrent(lock, installed)).toBe(expected);
  });

  it('is false in a fresh clone', () => {
    expect(arePackagesCurrent(tree({ 'package-lock.json': lock({ one }) }))).toBe(false);
  });
});

describe('copyData', () => {
  it('replaces files that changed, and leaves the others to those who read them', () => {
    const directory = tree({
      'src/shell/scripts/zsh/.zshenv': 'one',
      'src/shell/scripts/bash': 'two',
      'src/app/acp/scripts/agent-shell.sh': 'five',
      'src/image/fonts/font': 'three',
      'src/agents/kinds/claude': 'four',
    });
    copyData(directory);
    const copied = (path: string) => join(directory, 'dist/shell/scripts', path);
    const inodes = () => ['zsh/.zshenv', 'bash'].map((path) => statSync(copied(path)).ino);
    const [first, second] = inodes();
    copyData(directory);
    expect(inodes()).toEqual([first, second]);
    const source = join(directory, 'src/shell/scripts/bash');
    writeFileSync(source, 'new');
    utimesSync(source, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    copyData(directory);
    expect(readFileSync(copied('bash'), 'utf8')).toBe('new');
    expect(inodes()).toEqual([first, expect.not.toSatisfy((inode) => inode === second)]);
  });
});

describe('a script that continues as another program', () => {
  /** Runs `program` as `npm start` does, and returns the result. */
  const runHere = (program: string) => {
    const directory = tree({ 'a b/main.mjs': program });
    const steps = (name: string) =>
      JSON.stringify(pathToFileURL(join(root, 'scripts/steps', name)).href);
    const script = `
      import { runHere } from ${steps('run-here.mjs')};
      import { runScript } from ${steps('step-failed.mjs')};
      await runScript('start', () => runHere(${JSON.stringify(join(directory, 'a b/main.mjs'))}, ['x y']));`;
    const args = ['--input-type=module', '--eval', script];
    return spawnSync(process.execPath, args, { encoding: 'utf8' });
  };

  it('passes its arguments and returns the exit status', () => {
    const { status, stdout } = runHere('console.log(process.argv.slice(2)); process.exitCode = 7;');
    expect({ status, stdout }).toEqual({ status: 7, stdout: "[ 'x y' ]\n" });
  });

  it('ends by the signal that ends the program', () => {
    const { signal } = runHere(
      "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);",
    );
    expect(signal).toBe('SIGTERM');
  });

  it('says what is missing, without a stack', () => {
    const script = `
      import { runHere } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/steps/run-here.mjs')).href)};
      import { runScript } from ${JSON.stringify(pathToFileURL(join(root, 'scripts/steps/step-failed.mjs')).href)};
      await runScript('start', () => runHere('/nowhere.js', []));`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'start: /nowhere.js does not exist\n',
    });
  });
});
