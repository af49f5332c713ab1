// The results of tests, which test/support/run/figures-reporter.ts writes, one JSON object per line.
import { existsSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} Result
 * @property {string} file path of the test
 * @property {string} title with those of its groups
 * @property {'passed' | 'failed' | 'skipped'} state
 * @property {number} seconds
 * @property {number} tries more than 1 if it failed at first
 * @property {number} load processes that wanted a processor in the minute before its end
 * @property {Readonly<Record<string, number>>} figures
 * @property {string} reason why it failed or was skipped; empty if it passed
 */

/**
 * @param {string} file
 * @returns {Result[]}
 */
export function readResults(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/**
 * One line of figures for each test of test/soak, as a table in Markdown, and one for all others.
 *
 * @param {readonly Result[]} results
 */
export function table(results) {
  const isSoak = ({ file = '' }) => file.startsWith('test/soak/');
  const rows = [...results.filter(isSoak), ...summed(results.filter((each) => !isSoak(each)))];
  const lines = rows.map((each) => {
    const file = each.file.replace(/^test\/soak\/|\.soak\.ts$/g, '');
    const cells = [file, each.title, figuresText(each.figures), shortened(each.seconds)];
    return `| ${[...cells, each.load.toFixed(1), outcome(each)].map(cell).join(' | ')} |`;
  });
  const head = ['| file | test | figures | s | load | result |', '|---|---|---|---|---|---|'];
  return [...head, ...lines].join('\n');
}

/**
 * The failures of tests of properties, and a line for the others.
 *
 * @param {readonly Result[]} results
 * @returns {Result[]}
 */
function summed(results) {
  const last = results.at(-1);
  if (last === undefined) return [];
  const failed = results.filter(({ state }) => state === 'failed');
  const passed = results.filter(({ state }) => state === 'passed');
  const seconds = passed.reduce((sum, each) => sum + each.seconds, 0);
  const figures = { tests: passed.length, skipped: results.length - passed.length - failed.length };
  const title = 'laws, agreement with other terminals and fuzz, with new inputs';
  return [
    ...failed,
    { ...last, file: 'properties', title, state: 'passed', tries: 1, reason: '', seconds, figures },
  ];
}

/** @param {number} value */
function shortened(value) {
  const isPrecise = Math.abs(value) < 100 && !Number.isInteger(value);
  if (isPrecise || !Number.isFinite(value)) return value.toFixed(1);
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/** @param {Result['figures']} figures */
const figuresText = (figures) =>
  Object.entries(figures)
    .map(([what, value]) => `${what} ${shortened(value)}`)
    .join(', ');

/** @param {Result} result */
function outcome({ state, tries, reason }) {
  if (state !== 'passed') return `**${state}**: ${reason}`;
  return tries > 1 ? `passed at try ${tries}` : 'passed';
}
