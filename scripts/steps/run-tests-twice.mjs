import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tools } from './tools.mjs';

/**
 * Runs vitest, and if tests of a few files fail, runs those files again, one at a time. A test that passes then is
 * printed as `flaky`, and does not fail the run. The reporter of the summary decides whether there is a second run.
 *
 * @param {readonly string[]} args of vitest, without paths of tests
 * @param {readonly string[]} paths of tests; none is all
 * @returns {Promise<number>} the exit status
 */
export async function runTestsTwice(args, paths) {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-first-run-'));
  const file = join(directory, 'run.json');
  /** @param {readonly string[]} all */
  const run = (all) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [tools.vitest, ...all], {
        stdio: 'inherit',
        env: { ...process.env, VTR_TEST_FIRST_RUN: file },
      });
      child.on('error', reject);
      child.on('close', (status) => resolve(status ?? 1));
    });
  try {
    const status = await run([...args, ...paths]);
    if (status === 0 || !existsSync(file)) return status;
    /** @type {{ files: readonly string[] }} */
    const { files } = JSON.parse(readFileSync(file, 'utf8'));
    return await run([...args, '--no-file-parallelism', ...files]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
