import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { tools } from '../../scripts/steps/tools.mjs';
import { needs, provided } from '../support/run/needs.ts';
import { tree } from '../support/tree.ts';

const support = (name: string) => JSON.stringify(join(root, 'test/support/run', name));

const reporters = ['summary-reporter.ts', 'silence-reporter.ts'].map(support);

/** Runs vitest with our reporters on a file of tests. */
function runTests(body: string, env: NodeJS.ProcessEnv = {}) {
  const directory = tree({
    'vitest.config.mjs': `export default { test: { pool: 'forks', reporters: [${reporters}] } };`,
    'a.test.ts': `import { beforeAll, describe, expect, it } from 'vitest';
      import { needs, provided } from ${support('needs.ts')};
      ${body}`,
  });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [tools.vitest, 'run'], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, VTR_TEST_SILENCE_MS: '100000', ...env },
    timeout: 120_000,
  });
  return { status, stderr, lines: stdout.trim().split('\n') };
}

describe('needs and provided', () => {
  it('are `it` itself where the test can run, so that a test loses nothing by them', () => {
    expect(needs('sh', 'node')).toBe(it);
    expect(provided(true, 'only here')).toBe(it);
  });

  it('are something else where it cannot', () => {
    expect(needs('sh', 'no-such-program')).not.toBe(it);
    expect(provided(false, 'only on the moon')).not.toBe(it);
  });
});

describe('the end of a test run', () => {
  it('counts passed tests', () => {
    const run = runTests("it('a', () => {}); it('b', () => {});");
    expect(run).toMatchObject({ status: 0, lines: ['2 passed, 0 failed'] });
  });

  it('lists skipped tests by reason', () => {
    const run = runTests(`
      it('a', () => {});
      needs('no-such-program')('b', () => {});
      needs('node', 'no-such-program', 'nor-this')('c', () => {});
      provided(false, 'only on the moon')('d', () => {});
      provided(false, 'only on the moon')('e', () => {});
      provided(true, 'only here')('f', () => {});
      needs('node')('g', () => {});
      it('h', (context) => context.skip('needs luck'));`);
    expect(run).toMatchObject({
      status: 0,
      lines: [
        'skipped 1: needs no-such-program',
        'skipped 1: needs no-such-program, nor-this',
        'skipped 2: only on the moon',
        'skipped 1: needs luck',
        '5 skipped',
        '3 passed, 0 failed',
      ],
    });
  });

  it.each([
    ['a test that fails', "it('b', () => expect(1).toBe(2));", '1 passed, 1 failed'],
    [
      'a group whose hook throws',
      "describe('g', () => { beforeAll(() => { throw new Error(); }); it('b', () => {}); });",
      '1 passed, 1 failed',
    ],
    ['a file that does not load', "throw new Error('at load');", '0 passed, 1 failed'],
    [
      'an error outside of any test',
      "it('b', () => { Promise.reject(new Error('alone')); });",
      '2 passed, 1 failed',
    ],
  ])('counts as a failure: %s', (_what, body, closing) => {
    const { status, lines } = runTests(`it('a', () => {}); ${body}`);
    expect({ status, closing: lines.at(-1) }).toEqual({ status: 1, closing });
  });

  it('fails when every test is skipped', () => {
    const { status, lines } = runTests("it.skip('a', () => {});");
    expect({ status, closing: lines.at(-1) }).toEqual({ status: 1, closing: '0 passed, 1 failed' });
  });

  it('comes although a test blocks its process for ever, and the file is named', () => {
    const { status, stderr, lines } = runTests(
      `it('a', () => {}); it('blocks', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); });`,
      { VTR_TEST_SILENCE_MS: '3000' },
    );
    expect(stderr).toMatch(/no test has ended for 3 s.*\n {2}a\.test\.ts/);
    expect(status).toBe(1);
    expect(lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed$/);
  });
});

describe('a run of tests where CI=true', () => {
  /** A test that passes from its second run on, one that may fail always, and one of another file. */
  function runTwice(always: string, others = '') {
    const directory = tree({
      'vitest.config.mjs': `export default { test: { pool: 'forks', reporters: [${reporters}] } };`,
      'a.test.ts': `import { existsSync, writeFileSync } from 'node:fs';
        import { expect, it } from 'vitest';
        it('passes later', () => {
          const before = existsSync('ran');
          writeFileSync('ran', '');
          expect(before).toBe(true);
        });
        it('is beside it', () => ${always});
        ${others}`,
      'b.test.ts': `import { expect, it } from 'vitest';
        it('c', () => {});
        it('d', () => expect(process.env.VTR_TEST_FIRST_RUN).toBeUndefined());`,
      'run.mjs': `import { runTestsTwice } from ${JSON.stringify(join(root, 'scripts/steps/run-tests-twice.mjs'))};
        process.exitCode = await runTestsTwice(['run'], []);`,
    });
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    const { status, stdout } = spawnSync(process.execPath, ['run.mjs'], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return {
      status,
      lines: stdout
        .trim()
        .split('\n')
        .filter((line) => line !== ''),
    };
  }

  it('runs the files that failed again, and says which tests are flaky', () => {
    expect(runTwice('{}')).toEqual({
      status: 0,
      lines: [
        '3 passed, 1 failed in the first run; the files that failed run again, alone',
        'flaky: a.test.ts > passes later',
        '4 passed, 0 failed',
      ],
    });
  });

  it('names a file that failed outside of its tests', () => {
    const hook = "import { afterAll } from 'vitest'; const isNew = !existsSync('ran');";
    const { status, lines } = runTwice(
      '{}',
      `${hook} afterAll(() => { if (isNew) throw new Error('once'); });`,
    );
    expect({ status, lines: lines.slice(-3) }).toEqual({
      status: 0,
      lines: ['flaky: a.test.ts', 'flaky: a.test.ts > passes later', '4 passed, 0 failed'],
    });
  });

  it('fails if a test fails in both', () => {
    const { status, lines } = runTwice('expect(1).toBe(2)');
    expect({ status, lines: lines.slice(-2) }).toEqual({
      status: 1,
      lines: ['flaky: a.test.ts > passes later', '3 passed, 1 failed'],
    });
  });
});
