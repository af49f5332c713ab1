// `npm test [-- PATH...]`: the tests that find most mistakes, or all whose path contains PATH. `npm run verify`
// runs the others. With `--changed` or `--changed=COMMIT`, only those of them run that changed files reach. Other
// arguments are vitest's. Where CI=true, the files in which tests fail run a second time (CONTRIBUTING.md).
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runHere } from './steps/run-here.mjs';
import { runTestsTwice } from './steps/run-tests-twice.mjs';
import { runScript } from './steps/step-failed.mjs';
import { tools } from './steps/tools.mjs';

/** Projects of `vitest.config.ts`. */
const projects = { test: ['usual'], verify: ['verify', 'failing'] };

/** How long all of them take on two processors, in minutes. */
const minutes = { test: 4, verify: 9 };

const changedFlag = /^--changed(?:=(.+))?$/;

await runScript('test', async () => {
  await setUp();
  process.chdir(root);
  const [first, ...others] = process.argv.slice(2);
  const isVerify = first === '--verify';
  const paths = isVerify ? others : process.argv.slice(2);
  const args = paths.filter((each) => !changedFlag.test(each));
  const hasPath = args.some((each) => !each.startsWith('-'));
  const chosen = isVerify ? projects.verify : hasPath ? [] : projects.test;
  const flag = paths.map((each) => changedFlag.exec(each)).find((each) => each !== null);
  const changed = flag === undefined ? [] : await testsOfChanges(flag?.[1]);
  if (changed === null) return;
  if (!hasPath && flag === undefined) {
    const about = `about ${minutes[isVerify ? 'verify' : 'test']} minutes on two processors`;
    process.stderr.write(`test: this takes ${about}; npm test -- PATH runs a part\n`);
  }
  // vitest colours its output even in a file. Tests would inherit NO_COLOR, so this uses the flag.
  const plain = process.stdout.isTTY ? [] : ['--no-color'];
  const options = ['run', ...plain, ...chosen.map((each) => `--project=${each}`)];
  if (process.env['CI'] === 'true') {
    process.exitCode = await runTestsTwice(options, [...args, ...changed]);
  } else {
    await runHere(tools.vitest, [...options, ...args, ...changed]);
  }
});

/**
 * Says on stderr which tests changed files reach.
 *
 * @param {string} [since] see `changedFiles`
 * @returns {Promise<string[] | null>} arguments of vitest; null if no test is to run
 */
async function testsOfChanges(since) {
  const { changedFiles, reachedTests } = await import('./reached-tests.mjs');
  const files = await changedFiles(root, since);
  const say = (/** @type {string} */ text) => process.stderr.write(`test: ${text}\n`);
  if (files.length === 0) {
    say(`nothing has changed since ${since ?? 'the last commit'}`);
    return null;
  }
  const { tests, count, unknown } = reachedTests(root, files);
  if (unknown !== null) {
    say(`all tests run: ${unknown}`);
    return [];
  }
  const changed = `${files.length} changed ${files.length === 1 ? 'file' : 'files'}`;
  say(`${changed} can change the results of ${tests.length} of ${count} files of tests`);
  return tests.length === 0 ? null : ['--passWithNoTests', ...tests];
}
