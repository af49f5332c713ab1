import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { tree } from '../support/tree.ts';

/** Stand-ins that are found first: nothing is installed, and Python is not started. */
const stubs = {
  'bin/apt-get': '#!/bin/sh\necho no network\nexit 100\n',
  'bin/python3': '#!/bin/sh\n',
};

/** Prints the lines of `npm test` and of `npm run verify`. */
const lines = (...texts: readonly string[]) => `console.log(${JSON.stringify(texts.join('\n'))});`;

/** A repository whose tests on a fresh machine are the given program. */
function runCi(testProgram: string) {
  const repository = tree({ 'scripts/fresh-machine.mjs': testProgram, ...stubs });
  for (const path of Object.keys(stubs)) chmodSync(join(repository, path), 0o755);
  mkdirSync(join(repository, '.ci'));
  copyFileSync(join(root, '.ci/run'), join(repository, '.ci/run'));
  const path = [join(repository, 'bin'), process.env['PATH']].join(delimiter);
  const { status, stdout } = spawnSync('bash', [join(repository, '.ci/run')], {
    cwd: '/',
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1) };
}

describe('.ci/run', () => {
  it.each([
    ['all passed', lines('3 passed, 0 failed', '2 passed, 0 failed'), 0, '5 passed, 0 failed'],
    [
      'some failed in the first run',
      `${lines('3 passed, 2 failed', '4 passed, 0 failed')} process.exit(1)`,
      1,
      '7 passed, 2 failed',
    ],
    [
      'some failed in each run',
      `${lines('3 passed, 2 failed', '4 passed, 1 failed')} process.exit(1)`,
      1,
      '7 passed, 3 failed',
    ],
    [
      'all tests passed, and something else failed',
      `${lines('3 passed, 0 failed', '2 passed, 0 failed')} process.exit(1)`,
      1,
      '5 passed, 1 failed',
    ],
    [
      'some failed, and the status is 0',
      lines('3 passed, 2 failed', '1 passed, 0 failed'),
      1,
      '4 passed, 2 failed',
    ],
    [
      'a signal ended the run before its summary',
      "process.kill(process.pid, 'SIGKILL')",
      1,
      '0 passed, 1 failed',
    ],
    ['nothing was printed', '', 1, '0 passed, 1 failed'],
    ['one of the two runs printed nothing', lines('3 passed, 0 failed'), 1, '3 passed, 1 failed'],
    [
      'more was printed after the summary',
      `${lines('1 passed, 0 failed', '1 passed, 0 failed')} console.error('bye')`,
      0,
      '2 passed, 0 failed',
    ],
  ])('ends with one line and a status that agree: %s', (_when, program, status, lastLine) => {
    expect(runCi(program)).toEqual({ status, lastLine });
  });
});
