// `npm run build [-- --clean]`: makes dist (the package) and build (the demo and the benchmarks).
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { removeBuild } from './steps/compile.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('build', async () => {
  const [option, ...more] = process.argv.slice(2);
  if ((option !== undefined && option !== '--clean') || more.length > 0) {
    throw new StepFailed(`unknown argument; usage: npm run build [-- --clean]`);
  }
  // tsc does not remove the outputs of deleted sources; a clean build does.
  if (option === '--clean') removeBuild(root);
  await setUp();
});
