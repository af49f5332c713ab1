// `npm test [-- PATH...]`: all tests, or those whose path contains PATH. Arguments are vitest's.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runHere } from './steps/run-here.mjs';
import { runScript } from './steps/step-failed.mjs';
import { tools } from './steps/tools.mjs';

await runScript('test', async () => {
  await setUp();
  process.chdir(root);
  // vitest colours its output even in a file. Tests would inherit NO_COLOR, so this uses the flag.
  const plain = process.stdout.isTTY ? [] : ['--no-color'];
  await runHere(tools.vitest, ['run', ...plain, ...process.argv.slice(2)]);
});
