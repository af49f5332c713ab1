import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * The end of every run, in plain words: what was skipped and why, and as the last line
 * `N passed, N failed`. Whatever else went wrong (a file that does not load, a hook that throws,
 * an error outside of any test) counts as a failure, one each, and so does a run of no test.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const passed = tests.filter((test) => test.result().state === 'passed');
    const broken = modules.reduce((sum, module) => sum + errorCount(module), 0);
    let failed = tests.length - passed.length - skipped.length + broken + unhandledErrors.length;
    if (passed.length + failed === 0) {
      failed = 1;
      process.exitCode = 1;
    }

    const lines = ['', ...reasonLines(skipped)];
    if (skipped.length > 0) lines.push(`${skipped.length} skipped`);
    lines.push(`${passed.length} passed, ${failed} failed`);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** Errors of a file and of its groups, as of a failing `beforeAll`, which belong to no test. */
function errorCount(module: TestModule): number {
  const groups = [module, ...module.children.allSuites()];
  return groups.reduce((sum, group) => sum + group.errors().length, 0);
}

/** One line a reason, with the number of tests that it kept from running. */
function reasonLines(skipped: readonly TestCase[]): string[] {
  const counts = new Map<string, number>();
  for (const test of skipped) {
    const reason = reasonOf(test);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `skipped ${count}: ${reason}`);
}

/** The words in parentheses that end the title; those of `skip(note)`; or that the run was told so. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? /\(([^()]+)\)$/.exec(test.fullName)?.[1] ?? 'not selected';
}
