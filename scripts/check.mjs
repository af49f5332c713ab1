// `npm run check [-- gate ...]`: every gate, or those named; one line each, exit status 1 if any fails.
import { root } from './root.mjs';
import { setUp } from './setup.mjs';
import { runScript, StepFailed } from './steps/step-failed.mjs';

await runScript('check', async () => {
  const names = process.argv.slice(2);
  // The types gate compiles, and reports what does not.
  await setUp({ build: names.length > 0 && !names.includes('types') });
  const { gates } = await import('./gates/index.mjs');
  const { printReport, runGate } = await import('./gates/gate.mjs');

  const unknown = names.find((name) => !gates.some((gate) => gate.name === name));
  if (unknown !== undefined) {
    throw new StepFailed(
      `no gate is named ${unknown}; there are ${gates.map((gate) => gate.name).join(', ')}`,
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
