import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { root } from '../root.mjs';
import { tools } from '../steps/tools.mjs';

/** A run that is ended gets this time to end its tests, in ms. */
const graceMs = 20_000;

/**
 * Runs vitest with the tests of test/soak enabled.
 *
 * @param {readonly string[]} what paths of tests
 * @param {Readonly<Record<string, string>>} variables
 * @param {number} endMs time of day at which the run is ended
 * @param {number} priority 0, or more to leave the processors to other runs
 * @returns {Promise<string>} empty if all tests passed, otherwise what failed
 */
export async function runTests(what, variables, endMs, priority) {
  const fixed = { VTR_TEST_SOAK: '1' };
  const plain = process.stdout.isTTY ? [] : ['--no-color'];
  const child = spawn(process.execPath, [tools.vitest, 'run', ...plain, ...what], {
    cwd: root,
    env: { ...process.env, ...fixed, ...variables },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (child.pid !== undefined) setPriority(child.pid, getPriority() + priority);
  let isLate = false;
  const end = setTimeout(() => {
    isLate = true;
    child.kill('SIGTERM');
  }, endMs - Date.now());
  const kill = setTimeout(() => child.kill('SIGKILL'), endMs - Date.now() + graceMs);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(end);
  clearTimeout(kill);
  if (isLate) return 'the time was over before the tests';
  return code === 0 ? '' : `a test failed (${signal ?? `status ${code}`})`;
}
