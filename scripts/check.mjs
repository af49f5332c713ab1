// `npm run check [-- GATE...]`: runs all gates or these; prints a line for each. Fails if one fails.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('check', async () => {
  const names = process.argv.slice(2);
  // The gate `types` compiles, and reports the errors.
  await setUp({ build: names.length > 0 && !names.includes('types') });
  const { gates } = await import('./gates/index.mjs');
  const { printReport, runGate } = await import('./gates/gate.mjs');

  const unknown = names.find((name) => !gates.some((gate) => gate.name === name));
  if (unknown !== undefined) {
    throw new StepFailed(
      `there is no gate ${unknown}; the gates are ${gates.map((gate) => gate.name).join(', ')}`,
    );
  }
  const chosen = names.length === 0 ? gates : gates.filter((gate) => names.includes(gate.name));

  let failed = 0;
  for (const gate of chosen) {
    const report = await runGate(gate, root);
    printReport(gate, report);
    if (report.problems.length > 0) failed += 1;
  }
  process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
});
