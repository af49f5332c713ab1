// `npm start [-- NUMBER...]`: the demo, which drives real programs with vtr; or these steps of it.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { built, runHere } from './steps/run-here.mjs';
import { runScript } from './steps/step-failed.mjs';

await runScript('start', async () => {
  await setUp();
  await runHere(built(root, 'examples/demo/main'), process.argv.slice(2));
});
