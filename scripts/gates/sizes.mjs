import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usersOf } from './file-graph.mjs';
import { functionsOf } from './functions.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { bounds, registries, splinters } from './sizes.table.mjs';
import { isTest, listFiles, parseSource } from './source-files.mjs';

/**
 * @typedef {object} Measure
 * @property {string} path
 * @property {string} [name] of the function; absent for a file
 * @property {number} line
 * @property {number} lines
 */

/** @type {import('./gate.mjs').Gate} */
export const sizes = {
  name: 'sizes',
  holds: 'files, tests and functions are small, and few of the files are splinters',
  async run(root) {
    const [sources, tests] = [await measureSizes(root), measureTests(root)];
    const gone = registries.filter((path) => !existsSync(join(root, path)));
    return {
      seen: `${sources.seen}; ${tests.seen}`,
      problems: [
        ...sources.problems,
        ...tests.problems,
        ...gone.map((path) => `there is no registry ${path}`),
      ],
    };
  },
};

/** @param {string} root */
export async function measureSizes(root) {
  const all = listFiles(root, ['src'], /\.tsx?$/)
    .filter((path) => !isTest(path))
    .map((path) => parseSource(root, path));
  const sources = all.filter(({ path }) => !path.endsWith('.gen.ts'));
  /** @type {Measure[]} */
  const files = sources.map(({ path, text }) => measureFile(path, text));
  /** @type {Measure[]} */
  const functions = sources.flatMap((source) =>
    functionsOf(source).map((each) => ({ path: source.path, ...each })),
  );
  const problems = [
    ...boundProblems('file', files),
    ...boundProblems('function', functions),
    ...splinterProblems(files, usersOf(all)),
  ];
  return { seen: `${summary('file', files)}; ${summary('function', functions)}`, problems };
}

/**
 * Measures the files of tests: those next to the source, and all code of `test/`.
 *
 * @param {string} root
 */
export function measureTests(root) {
  const files = listFiles(root, ['src', 'test'], /\.(?:ts|tsx|mjs)$/)
    .filter((path) => path.startsWith('test/') || isTest(path))
    .map((path) => measureFile(path, readFileSync(join(root, path), 'utf8')));
  return { seen: summary('test file', files), problems: boundProblems('test file', files) };
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {Measure}
 */
const measureFile = (path, text) => ({
  path,
  line: 1,
  lines: text.trimEnd().split('\n').length,
});

/**
 * The value below which at least the given share of the values lies (nearest rank).
 *
 * @param {readonly number[]} values
 * @param {number} share 0..1
 */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** @param {readonly Measure[]} measures */
function figures(measures) {
  const lines = measures.map((each) => each.lines);
  return {
    median: percentile(lines, 0.5),
    p95: percentile(lines, 0.95),
    longest: percentile(lines, 1),
  };
}

/**
 * @param {string} thing
 * @param {readonly Measure[]} measures
 */
function summary(thing, measures) {
  const { median, p95 } = figures(measures);
  return `${counted(measures.length, thing)}, median ${median}, p95 ${p95} lines`;
}

/**
 * @param {keyof typeof bounds} thing
 * @param {readonly Measure[]} measures
 */
function boundProblems(thing, measures) {
  if (measures.length === 0) return [`saw no ${thing}`];
  const actual = figures(measures);
  const over = /** @type {const} */ (['median', 'p95', 'longest']).filter(
    (figure) => actual[figure] > bounds[thing][figure],
  );
  if (over.length === 0) return [];
  const longest = measures.toSorted((a, b) => b.lines - a.lines).slice(0, 10);
  return [
    ...over.map(
      (figure) => `${thing}s: ${figure} ${actual[figure]} lines, at most ${bounds[thing][figure]}`,
    ),
    ...longest.map(({ path, name = '', line, lines }) => `  ${lines} ${path}:${line} ${name}`),
  ];
}

/**
 * @param {readonly Measure[]} files
 * @param {ReadonlyMap<string, import('./file-graph.mjs').Users>} users
 * @returns {string[]}
 */
function splinterProblems(files, users) {
  const userOf = (/** @type {Measure} */ { path }) => {
    const { atOnce = new Set(), late = new Set() } = users.get(path) ?? {};
    const [only, ...others] = atOnce;
    return others.length === 0 && late.size === 0 ? only : undefined;
  };
  const shortFiles = files
    .filter((each) => each.lines <= splinters.lines && !each.path.endsWith('/index.ts'))
    .flatMap((each) => {
      const user = userOf(each);
      return user === undefined || registries.includes(user) ? [] : [{ ...each, user }];
    })
    .sort((a, b) => a.lines - b.lines);
  if (shortFiles.length <= splinters.share * files.length) return [];
  const percent = (/** @type {number} */ share) => `${Math.round(share * 1000) / 10} %`;
  return [
    `${percent(shortFiles.length / files.length)} of the files are short and have one user, ` +
      `at most ${percent(splinters.share)}:`,
    ...shortFiles.map(({ lines, path, user }) => `  ${lines} ${path} (${user})`),
  ];
}

await runWhenMain(import.meta.url, sizes);
