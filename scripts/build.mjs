// `npm run build [-- --clean]`: dist (the package) and build (what runs on top of it).
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { removeBuild } from './steps/compile.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('build', async () => {
  const [option, ...more] = process.argv.slice(2);
  if ((option !== undefined && option !== '--clean') || more.length > 0) {
    throw new StepFailed(`unknown argument; usage: npm run build [-- --clean]`);
  }
  // A clean build also gets rid of outputs whose sources are gone, which tsc leaves lying.
  if (option === '--clean') removeBuild(root);
  await setUp();
});
