import { defined, durationText, sanitize } from '#base';
import type { TestFailure } from '../test-failure.ts';

/** Turns results into the text of a report. */
interface Reporter {
  begin(count: number): string;
  /** @param number 1 for the first */
  result(result: TestResult, number: number): string;
  end(results: readonly TestResult[]): string;
}

const silent: Reporter = { begin: () => '', result: () => '', end: () => '' };

const plain: Reporter = {
  ...silent,
  result(result) {
    const { file, runs, durationMs } = result;
    const duration = durationText(Math.round(durationMs));
    if (!hasFailed(result)) {
      return `ok    ${file} (${runs === 1 ? '' : `${runs} times, each `}${duration})\n`;
    }
    const [first] = result.failures as [TestFailure];
    const times = timesText(result);
    const text = indented(failureText(first), '      ');
    return `FAIL  ${first.headline}${times === '' ? '' : ` (${times})`}\n${text}`;
  },
  end(results) {
    const failed = results.filter(hasFailed).length;
    return `${results.length - failed} passed, ${failed} failed\n`;
  },
};

const indented = (text: string, indent: string): string =>
  clean(text)
    .split('\n')
    .map((line) => (line === '' ? '\n' : `${indent}${line}\n`))
    .join('')
    .replace(/^\n$/, '');

/** Without control characters, which no report may contain. */
const clean = (text: string): string =>
  text
    .split('\n')
    .map((line) => sanitize(line).text)
    .join('\n');

/** Test Anything Protocol 14 (testanything.org/tap-version-14-specification.html). */
const tap: Reporter = {
  begin: (count) => `TAP version 14\n1..${count}\n`,
  result(result, number) {
    const name = result.file.replace(/[\\#]/g, '\\$&');
    const word = hasFailed(result) ? 'not ok' : 'ok';
    const [first] = result.failures;
    const entries = [
      `duration_ms: ${Math.round(result.durationMs)}`,
      ...(result.runs === 1 ? [] : [`runs: ${result.runs}`, `failed: ${result.failures.length}`]),
      ...(first === undefined ? [] : failureEntries(first)),
    ];
    const lines = entries.map((entry) => `  ${entry}\n`).join('');
    return `${word} ${number} - ${name}\n  ---\n${lines}  ...\n`;
  },
  end: () => '',
};

function failureEntries(failure: TestFailure): string[] {
  const text = clean(failureText(failure));
  return [
    `message: ${JSON.stringify(clean(failure.message))}`,
    ...(failure.place === undefined ? [] : [`at: ${JSON.stringify(placeText(failure.place))}`]),
    // The number is that of the spaces before each line, because the first line may begin with some.
    ...(text === '' ? [] : ['details: |2', ...text.split('\n').map((line) => `  ${line}`)]),
  ];
}

const placeText = ({ file, line }: NonNullable<TestFailure['place']>): string => `${file}:${line}`;

const junit: Reporter = { ...silent, end: (results) => junitReport(results, clean) };

const json: Reporter = {
  ...silent,
  end(results) {
    const failed = results.filter(hasFailed).length;
    const tests = results.map((result) => ({
      file: result.file,
      passed: !hasFailed(result),
      runs: result.runs,
      failed: result.failures.length,
      duration_ms: Math.round(result.durationMs),
      failures: result.failures.map(({ message, place, details, left }) => ({
        message,
        ...defined({ file: place?.file, line: place?.line }),
        details,
        files: left,
      })),
    }));
    return `${JSON.stringify({ passed: results.length - failed, failed, tests }, null, 2)}\n`;
  },
};

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

export const hasFailed = ({ failures }: TestResult): boolean => failures.length > 0;

/** Returns how often a test failed: `failed 3 of 20 times`; empty for a test that ran once. */
const timesText = ({ runs, failures }: TestResult): string =>
  runs === 1 ? '' : `failed ${failures.length} of ${runs} times`;

/** Returns what a failure says, without its place: the difference, and the files that it left. */
const failureText = ({ details, left }: TestFailure): string =>
  [...(details === '' ? [] : [details]), ...left.map((path) => `see ${path}`)].join('\n');

export const reporters = { plain, tap, junit, json };

/**
 * Returns a report in the XML of JUnit, as Jenkins, GitLab and others read it: a suite with a case for
 * each file.
 *
 * @param clean removes control characters, which XML 1.0 cannot contain
 */
function junitReport(results: readonly TestResult[], clean: (text: string) => string): string {
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

/** A file that was tested, once or several times. */
export interface TestResult {
  /** As given by the caller. */
  readonly file: string;
  /** How often it ran. */
  readonly runs: number;
  /** One for each run that failed, oldest first. */
  readonly failures: readonly TestFailure[];
  /** The mean duration of a run, in ms. */
  readonly durationMs: number;
}
