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

/** Tests with a line for all that passed together. */
const kinds = [
  {
    name: 'contracts',
    directory: 'test/soak/contracts.',
    title: 'whole contracts of coordinators and PTY hosts that differ little from those of users',
  },
  {
    name: 'failing calls',
    directory: 'test/faults/',
    title: 'each call of files, sockets, terminals, programs and clocks fails in each way',
  },
  {
    name: 'properties',
    directory: '',
    title: 'laws, agreement with other terminals and fuzz, with new inputs',
  },
];

/**
 * One line of figures for each test of test/soak, as a table in Markdown, and one for each kind of the others.
 *
 * @param {readonly Result[]} results
 */
export function table(results) {
  const kindOf = ({ file = '' }) => kinds.find(({ directory }) => file.startsWith(directory));
  const isAlone = (/** @type {Result} */ each) =>
    each.file.startsWith('test/soak/') && kindOf(each)?.directory === '';
  const ofSoak = results.filter(isAlone);
  const others = results.filter((each) => !isAlone(each));
  const sums = kinds.flatMap((kind) =>
    summed(
      others.filter((each) => kindOf(each) === kind),
      kind,
    ),
  );
  const lines = [...ofSoak, ...sums].map((each) => {
    const file = each.file.replace(/^test\/soak\/|\.soak\.ts$/g, '');
    const cells = [file, each.title, figuresText(each.figures), shortened(each.seconds)];
    return `| ${[...cells, each.load.toFixed(1), outcome(each)].map(cell).join(' | ')} |`;
  });
  const head = ['| file | test | figures | s | load | result |', '|---|---|---|---|---|---|'];
  return [...head, ...lines].join('\n');
}

/**
 * The failures of a kind of tests, and a line for the others.
 *
 * @param {readonly Result[]} results
 * @param {typeof kinds[number]} kind
 * @returns {Result[]}
 */
function summed(results, { name, title }) {
  const last = results.at(-1);
  if (last === undefined) return [];
  const failed = results.filter(({ state }) => state === 'failed');
  const passed = results.filter(({ state }) => state === 'passed');
  const sum = (/** @type {(each: Result) => number} */ of) =>
    passed.reduce((total, each) => total + of(each), 0);
  const skipped = results.length - passed.length - failed.length;
  const failures = sum(({ figures }) => figures['failures'] ?? 0);
  const figures = { tests: passed.length, skipped, ...(failures > 0 && { failures }) };
  const seconds = sum((each) => each.seconds);
  return [
    ...failed,
    { ...last, file: name, title, state: 'passed', tries: 1, reason: '', seconds, figures },
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
