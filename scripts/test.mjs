// `npm test [-- what]`: all tests, or those whose path holds `what`. Arguments are vitest's.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runHere } from './steps/run-here.mjs';
import { runScript } from './steps/step-failed.mjs';
import { tools } from './steps/tools.mjs';

await runScript('test', async () => {
  await setUp();
  process.chdir(root);
  await runHere(tools.vitest, ['run', ...process.argv.slice(2)]);
});
