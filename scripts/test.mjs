// `npm test [-- PATH...]`: the tests that find most mistakes, or all whose path contains PATH. `npm run verify`
// runs the others. Arguments are vitest's: `npm test -- --changed` runs the tests of files that git sees as changed.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runHere } from './steps/run-here.mjs';
import { runScript } from './steps/step-failed.mjs';
import { tools } from './steps/tools.mjs';

/** Projects of `vitest.config.ts`. */
const projects = { test: ['usual'], verify: ['verify', 'failing'] };

await runScript('test', async () => {
  await setUp();
  process.chdir(root);
  const [first, ...others] = process.argv.slice(2);
  const isVerify = first === '--verify';
  const args = isVerify ? others : process.argv.slice(2);
  const hasPath = args.some((each) => !each.startsWith('-'));
  const chosen = isVerify ? projects.verify : hasPath ? [] : projects.test;
  // vitest colours its output even in a file. Tests would inherit NO_COLOR, so this uses the flag.
  const plain = process.stdout.isTTY ? [] : ['--no-color'];
  await runHere(tools.vitest, [
    'run',
    ...plain,
    ...chosen.map((each) => `--project=${each}`),
    ...args,
  ]);
});
