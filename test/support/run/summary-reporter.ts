import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * Prints the skipped tests by reason and, as the last line, `N passed, N failed`. Each other error (a
 * file that does not load, a hook that throws, an error outside of a test) counts as a failure, and so
 * does a run without tests, unless only those of changed files were to run.
 */
export default class SummaryReporter implements Reporter {
  #mayBeEmpty = false;

  onInit({ config }: Vitest): void {
    this.#mayBeEmpty = config.passWithNoTests ?? false;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const passed = tests.filter((test) => test.result().state === 'passed');
    const broken = modules.reduce((sum, module) => sum + errorCount(module), 0);
    let failed = tests.length - passed.length - skipped.length + broken + unhandledErrors.length;
    if (passed.length + failed === 0 && !this.#mayBeEmpty) {
      failed = 1;
      process.exitCode = 1;
    }

    const lines = ['', ...reasonLines(skipped)];
    if (skipped.length > 0) lines.push(`${skipped.length} skipped`);
    lines.push(`${passed.length} passed, ${failed} failed`);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

/** The number of errors of a file and its groups, as of a failing `beforeAll`, outside of tests. */
function errorCount(module: TestModule): number {
  const groups = [module, ...module.children.allSuites()];
  return groups.reduce((sum, group) => sum + group.errors().length, 0);
}

/** One line per reason, with the number of skipped tests. */
function reasonLines(skipped: readonly TestCase[]): string[] {
  const counts = new Map<string, number>();
  for (const test of skipped) {
    const reason = reasonOf(test);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `skipped ${count}: ${reason}`);
}

/** The words in parentheses at the end of the title, the note of `skip(note)`, or `not selected`. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? /\(([^()]+)\)$/.exec(test.fullName)?.[1] ?? 'not selected';
}
