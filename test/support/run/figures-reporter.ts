import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Appends the result of each test, with the figures that it reported, to the file that `VTR_TEST_FIGURES`
 * names, as a line of JSON. `npm run soak` makes a table of them.
 */
export default class FiguresReporter implements Reporter {
  readonly #file = process.env['VTR_TEST_FIGURES'] ?? '';

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    const { duration = 0, retryCount = 0 } = test.diagnostic() ?? {};
    this.#add(test.module, {
      title: test.fullName,
      state,
      seconds: duration / 1000,
      tries: 1 + retryCount,
      figures: test.meta().figures ?? {},
      reason: state === 'skipped' ? skipReason(test) : firstLine(errors),
    });
  }

  /** A file that does not load, or whose hooks throw, is a failure of its own. */
  onTestModuleEnd(module: TestModule): void {
    const errors = [module, ...module.children.allSuites()].flatMap((each) => each.errors());
    if (errors.length === 0) return;
    const failed = { title: 'the file itself', state: 'failed', seconds: 0, tries: 1, figures: {} };
    this.#add(module, { ...failed, reason: firstLine(errors) });
  }

  #add({ relativeModuleId: file }: TestModule, result: object): void {
    if (this.#file === '') return;
    const [load] = loadavg();
    appendFileSync(this.#file, `${JSON.stringify({ file, ...result, load })}\n`);
  }
}

function skipReason(test: TestCase): string {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note ?? /\(([^()]+)\)$/.exec(test.fullName)?.[1] ?? 'not selected';
}

const firstLine = (errors: readonly { readonly message: string }[]): string =>
  (errors[0]?.message ?? '').split('\n')[0] ?? '';
