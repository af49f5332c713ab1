import { failureText, hasFailed, type TestResult, timesText } from './test-result.ts';

/**
 * Returns a report in the XML of JUnit, as Jenkins, GitLab and others read it: a suite with a case for
 * each file.
 *
 * @param clean removes control characters, which XML 1.0 cannot contain
 */
export function junitReport(
  results: readonly TestResult[],
  clean: (text: string) => string,
): string {
  const failed = results.filter(hasFailed).length;
  const totalMs = results.reduce((sum, { durationMs, runs }) => sum + durationMs * runs, 0);
  const counts = {
    name: 'vtr test',
    tests: results.length,
    failures: failed,
    errors: 0,
    time: seconds(totalMs),
  };
  const cases = results.map((result) => caseOf(result, clean)).join('');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites${attributes(counts)}>\n`,
    `  <testsuite${attributes({ ...counts, skipped: 0 })}>\n`,
    `${cases}  </testsuite>\n</testsuites>\n`,
  ].join('');
}

function caseOf(result: TestResult, clean: (text: string) => string): string {
  const name = { name: result.file, classname: 'vtr test', time: seconds(result.durationMs) };
  const [first] = result.failures;
  if (first === undefined) return `    <testcase${attributes(name)}/>\n`;
  const times = timesText(result);
  const message = clean(times === '' ? first.headline : `${first.headline} (${times})`);
  const text = escaped(clean(failureText(first)));
  const failure = `<failure${attributes({ message, type: 'TestFailure' })}>${text}</failure>`;
  return `    <testcase${attributes(name)}>\n      ${failure}\n    </testcase>\n`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replace(/[\t\n\r]/g, reference)}"`)
    .join('');

const reference = (character: string): string => `&#${character.charCodeAt(0)};`;

/** A file name may have characters that XML 1.0 does not allow; they are shown as U+FFFD. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replace(/[&<>"]/g, reference);
