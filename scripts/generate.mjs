// `npm run generate`: writes every generated file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generators } from './gates/generated.table.mjs';
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runNode } from './steps/run.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('generate', async () => {
  // Sources first, because the other generators run the compiled program.
  await setUp({ build: false });
  await generate(generators.filter(({ output }) => output.startsWith('src/')));
  await setUp();
  await generate(generators.filter(({ output }) => !output.startsWith('src/')));
});

/** @param {readonly import('./gates/generated.table.mjs').Generator[]} some */
async function generate(some) {
  for (const { script, args = [], output } of some) {
    const result = await runNode(join(root, script), args, { cwd: root });
    if (result.status !== 0) throw new StepFailed(`${script} failed, see above`, result.output);
    mkdirSync(dirname(join(root, output)), { recursive: true });
    writeFileSync(join(root, output), result.stdout);
    process.stdout.write(`${output}\n`);
  }
}
