// `npm test [-- what]`: all tests, or those whose path holds `what`. Arguments are vitest's.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runHere } from './steps/run-here.mjs';
import { runScript } from './steps/step-failed.mjs';
import { tools } from './steps/tools.mjs';

await runScript('test', async () => {
  await setUp();
  process.chdir(root);
  // vitest paints its output wherever it goes. The flag, not NO_COLOR: tests would inherit that.
  const plain = process.stdout.isTTY ? [] : ['--no-color'];
  await runHere(tools.vitest, ['run', ...plain, ...process.argv.slice(2)]);
});
