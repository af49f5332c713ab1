import { fileGraph, importersOf } from './file-graph.mjs';
import { functionsOf } from './functions.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { bounds, exceptions as declared, splinters } from './sizes.table.mjs';
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
  holds: 'files and functions are small, and few files are splinters',
  run: (root) => measureSizes(root, declared),
};

/**
 * @param {string} root
 * @param {readonly import('./sizes.table.mjs').SizeException[]} exceptions
 */
export async function measureSizes(root, exceptions) {
  const sources = listFiles(root, ['src'], /\.tsx?$/)
    .filter((path) => !isTest(path) && !path.endsWith('.gen.ts'))
    .map((path) => parseSource(root, path));
  /** @type {Measure[]} */
  const files = sources.map(({ path, text }) => ({
    path,
    line: 1,
    lines: text.trimEnd().split('\n').length,
  }));
  /** @type {Measure[]} */
  const functions = sources.flatMap((source) =>
    functionsOf(source).map((each) => ({ path: source.path, ...each })),
  );
  const counts = (/** @type {Measure} */ each) => !exceptions.some((one) => isMeant(one, each));
  const problems = [
    ...boundProblems('file', files.filter(counts)),
    ...boundProblems('function', functions.filter(counts)),
    ...exceptions.flatMap((each) => exceptionProblems(each, [...files, ...functions])),
    ...splinterProblems(files, importersOf(fileGraph(root))),
  ];
  return { seen: `${summary('file', files)}; ${summary('function', functions)}`, problems };
}

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
  return { median: percentile(lines, 0.5), p95: percentile(lines, 0.95) };
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
 * @param {'file' | 'function'} thing
 * @param {readonly Measure[]} measures
 */
function boundProblems(thing, measures) {
  if (measures.length === 0) return [`saw no ${thing}`];
  const found = figures(measures);
  const over = /** @type {const} */ (['median', 'p95']).filter(
    (figure) => found[figure] > bounds[thing][figure],
  );
  if (over.length === 0) return [];
  const longest = measures.toSorted((a, b) => b.lines - a.lines).slice(0, 10);
  return [
    ...over.map(
      (figure) => `${thing}s: ${figure} ${found[figure]} lines, at most ${bounds[thing][figure]}`,
    ),
    ...longest.map(({ path, name = '', line, lines }) => `  ${lines} ${path}:${line} ${name}`),
  ];
}

/**
 * @param {readonly Measure[]} files
 * @param {ReadonlyMap<string, readonly string[]>} importers
 * @returns {string[]}
 */
function splinterProblems(files, importers) {
  const isSplinter = (/** @type {Measure} */ { path }) =>
    !path.endsWith('/index.ts') && importers.get(path)?.length === 1;
  const shortest = files.filter(isSplinter).sort((a, b) => a.lines - b.lines);
  return splinters.flatMap(({ lines, atMost }) => {
    const found = shortest.filter((each) => each.lines <= lines);
    if (found.length <= atMost) return [];
    return [
      `${found.length} files of at most ${lines} lines have one importer, at most ${atMost}:`,
      ...found.map((each) => `  ${each.lines} ${each.path} (${importers.get(each.path)})`),
    ];
  });
}

/**
 * @param {import('./sizes.table.mjs').SizeException} exception
 * @param {Measure} measure
 */
const isMeant = ({ path, name }, measure) => measure.path === path && measure.name === name;

/**
 * @param {import('./sizes.table.mjs').SizeException} exception
 * @param {readonly Measure[]} measures
 */
function exceptionProblems(exception, measures) {
  const { path, name, reason } = exception;
  const what = name === undefined ? path : `${name} in ${path}`;
  if (reason.trim() === '') return [`the exception for ${what} gives no reason`];
  if (measures.some((each) => isMeant(exception, each))) return [];
  return [`there is an exception for ${what}, which does not exist`];
}

await runWhenMain(import.meta.url, sizes);
