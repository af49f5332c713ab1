// `npm run generate`: makes every generated file anew, in place.
import { join } from 'node:path';
import { generators } from './gates/generated.table.mjs';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runNode } from './steps/run.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('generate', async () => {
  await setUp();
  for (const { script, outputs } of generators) {
    const { status, output } = await runNode(join(root, script), [], { cwd: root });
    if (status !== 0) throw new StepFailed(`${script} failed, see above`, output);
    for (const path of outputs) process.stdout.write(`${path}\n`);
  }
});
