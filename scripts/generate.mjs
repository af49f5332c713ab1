// `npm run generate`: makes every generated file anew.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generators } from './gates/generated.table.mjs';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runNode } from './steps/run.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('generate', async () => {
  await setUp();
  for (const { script, output } of generators) {
    const made = await runNode(join(root, script), [], { cwd: root });
    if (made.status !== 0) throw new StepFailed(`${script} failed, see above`, made.output);
    writeFileSync(join(root, output), made.stdout);
    process.stdout.write(`${output}\n`);
  }
});
