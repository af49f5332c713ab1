import { durationText, sanitize } from '#base';
import type { TestFailure } from '../test-failure.ts';
import { junitReport } from './junit-report.ts';
import { failureText, hasFailed, type TestResult, timesText } from './test-result.ts';

/** Turns results into the text of a report. */
export interface Reporter {
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
        ...(place === undefined ? {} : { file: place.file, line: place.line }),
        details,
        files: left,
      })),
    }));
    return `${JSON.stringify({ passed: results.length - failed, failed, tests }, null, 2)}\n`;
  },
};

export const reporters = { plain, tap, junit, json };
