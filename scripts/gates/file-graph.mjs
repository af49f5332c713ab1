import { posix } from 'node:path';
import { importsOf } from './imports.mjs';
import { isTest, listFiles, parseSource } from './source-files.mjs';

/** @typedef {ReadonlyMap<string, ReadonlySet<string>>} FileGraph the files that each file imports */

/**
 * The files of `src/` and their relative imports, of types too. Tests are left out.
 *
 * @param {string} root
 * @returns {FileGraph}
 */
export function fileGraph(root) {
  const paths = listFiles(root, ['src'], /\.tsx?$/).filter((path) => !isTest(path));
  const known = new Set(paths);
  return new Map(
    paths.map((path) => {
      const targets = importsOf(parseSource(root, path))
        .filter(({ specifier }) => specifier?.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier ?? ''));
      return [path, new Set(targets.filter((target) => known.has(target)))];
    }),
  );
}

/**
 * Groups of files each of which imports, directly or not, all others of its group (Tarjan's strongly
 * connected components).
 *
 * @param {FileGraph} graph
 * @returns {string[][]} sorted
 */
export function cyclesOf(graph) {
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const marks = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const groups = [];
  const visit = (/** @type {string} */ path) => {
    const mark = { index: marks.size, low: marks.size, open: true };
    marks.set(path, mark);
    stack.push(path);
    for (const next of graph.get(path) ?? []) {
      const seen = marks.get(next) ?? visit(next);
      if (seen.open) mark.low = Math.min(mark.low, seen.low);
    }
    if (mark.low === mark.index) {
      const group = stack.splice(stack.indexOf(path));
      for (const each of group) Object.assign(marks.get(each) ?? {}, { open: false });
      if (group.length > 1 || graph.get(path)?.has(path)) groups.push(group.sort());
    }
    return mark;
  };
  for (const path of graph.keys()) if (!marks.has(path)) visit(path);
  return groups.sort();
}

/**
 * The files that import each file.
 *
 * @param {FileGraph} graph
 * @returns {Map<string, string[]>}
 */
export function importersOf(graph) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const [path, targets] of graph) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  return importers;
}
