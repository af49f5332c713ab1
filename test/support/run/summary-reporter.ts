import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * What the first of two runs tells the second one, in the file that `VTR_TEST_FIRST_RUN` names
 * (`scripts/steps/run-tests-twice.mjs`).
 */
interface FirstRun {
  /** Tests that passed, in files in which nothing failed. */
  readonly passed: number;
  /** Absolute paths of the files in which something failed. */
  readonly files: readonly string[];
  /** The tests that failed, with their files; a file alone, if it failed outside of its tests. */
  readonly failed: readonly string[];
}

/** If more files than this fail, the reason is not chance, and they do not run again. */
const mostFilesAgain = 6;

/**
 * Prints the skipped tests by reason and, as the last line, `N passed, N failed`. Each other error (a
 * file that does not load, a hook that throws, an error outside of a test) counts as a failure, and so
 * does a run without tests, unless only those of changed files were to run. The second of two runs counts what
 * passed in the first, and lists as flaky the tests that failed there and pass now.
 */
export default class SummaryReporter implements Reporter {
  #mayBeEmpty = false;
  #firstRunFile: string | undefined;

  onInit({ config }: Vitest): void {
    this.#mayBeEmpty = config.passWithNoTests ?? false;
    this.#firstRunFile = process.env['VTR_TEST_FIRST_RUN'];
    // Tests that run vitest must not pass it on.
    delete process.env['VTR_TEST_FIRST_RUN'];
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const path = this.#firstRunFile;
    const first = path !== undefined && existsSync(path) ? firstRun(path) : undefined;
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
    if (first !== undefined) {
      const whole = modules.filter((module) => module.ok()).map((each) => each.relativeModuleId);
      const names = new Set([...passed.map(nameOf), ...whole]);
      lines.push(...first.failed.filter((name) => names.has(name)).map((name) => `flaky: ${name}`));
    }
    const closing = `${passed.length + (first?.passed ?? 0)} passed, ${failed} failed`;
    const again = first === undefined && unhandledErrors.length === 0 ? filesAgain(modules) : null;
    if (path === undefined || again === null) {
      lines.push(closing);
    } else {
      writeFileSync(path, JSON.stringify(again));
      lines.push(`${closing} in the first run; the files that failed run again, alone`);
    }
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

function firstRun(path: string): FirstRun {
  return JSON.parse(readFileSync(path, 'utf8')) as FirstRun;
}

/** What is to run again; null if nothing is, or too much has failed. */
function filesAgain(modules: readonly TestModule[]): FirstRun | null {
  const bad = modules.filter((module) => module.state() === 'failed');
  const good = modules.filter((module) => module.state() !== 'failed');
  if (bad.length === 0 || bad.length > mostFilesAgain) return null;
  const count = (module: TestModule) => [...module.children.allTests('passed')].length;
  return {
    passed: good.reduce((sum, module) => sum + count(module), 0),
    files: bad.map((module) => module.moduleId),
    failed: bad.flatMap((module) => [
      ...(errorCount(module) > 0 ? [module.relativeModuleId] : []),
      ...[...module.children.allTests('failed')].map(nameOf),
    ]),
  };
}

const nameOf = (test: TestCase) => `${test.module.relativeModuleId} > ${test.fullName}`;

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
