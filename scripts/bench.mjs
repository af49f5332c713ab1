// `npm run bench [-- NAME...]`: runs the benchmarks of docs/performance.md.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { built, runHere } from './steps/run-here.mjs';
import { runScript } from './steps/step-failed.mjs';

await runScript('bench', async () => {
  await setUp();
  await runHere(built(root, 'bench/main'), process.argv.slice(2));
});
