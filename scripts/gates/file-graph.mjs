import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
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

/** @typedef {{ atOnce: Set<string>, late: Set<string> }} Users late: by `import()` */

/**
 * The files that use each file: those that import it, and those of other rooms that import one of its
 * names from a door. A door does not use what it only passes on.
 *
 * @param {string} root
 * @returns {Map<string, Users>} of files of `src/`, without tests
 */
export function usersOf(root) {
  const paths = listFiles(root, ['src'], /\.tsx?$/).filter((path) => !isTest(path));
  /** @type {Map<string, Users>} */
  const users = new Map(paths.map((path) => [path, { atOnce: new Set(), late: new Set() }]));
  const sources = paths.map((path) => parseSource(root, path));
  const passedOn = passedOnByDoors(sources);
  /** @param {string} target @param {string} user @param {boolean} [late] */
  const use = (target, user, late = false) => {
    users.get(target)?.[late ? 'late' : 'atOnce'].add(user);
  };
  /** @param {string} door @param {string} name `*` for all @param {string} user @param {boolean} [late] */
  const useOfDoor = (door, name, user, late = false) => {
    for (const [passed, targets] of passedOn.get(door) ?? []) {
      if (passed !== '*' && name !== '*' && passed !== name) continue;
      for (const target of targets) {
        if (passedOn.has(target)) useOfDoor(target, name, user, late);
        else use(target, user, late);
      }
    }
  };
  for (const source of sources) {
    const { path } = source;
    for (const { specifier, names, isExport, late } of namedImportsOf(source)) {
      if (specifier.startsWith('#')) {
        for (const name of names) useOfDoor(`src/${specifier.slice(1)}/index.ts`, name, path, late);
      } else if (specifier.startsWith('.') && !(isExport && isDoor(path))) {
        use(posix.join(posix.dirname(path), specifier), path, late);
      }
    }
  }
  return users;
}

/** @param {string} path */
const isDoor = (path) => path.endsWith('/index.ts');

/**
 * The names that each `index.ts` passes on, with the files that they come from. `*` stands for all of a file's.
 *
 * @param {readonly import('./source-files.mjs').Source[]} sources
 */
function passedOnByDoors(sources) {
  /** @type {Map<string, Map<string, string[]>>} */
  const doors = new Map();
  for (const source of sources.filter(({ path }) => isDoor(path))) {
    /** @type {Map<string, string[]>} */
    const passed = new Map();
    for (const { specifier, names, isExport } of namedImportsOf(source)) {
      if (!isExport || !specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(source.path), specifier);
      for (const name of names) passed.set(name, [...(passed.get(name) ?? []), target]);
    }
    doors.set(source.path, passed);
  }
  return doors;
}

/** @typedef {{ specifier: string, names: string[], isExport?: boolean, late?: boolean }} NamedImport */

/**
 * The imports and re-exports of a file, with their names: those that an import asks for, and those that a
 * re-export offers.
 *
 * @param {import('./source-files.mjs').Source} source
 * @returns {NamedImport[]}
 */
function namedImportsOf(source) {
  /** @type {NamedImport[]} */
  const found = [];
  const nameOf = (/** @type {import('oxc-parser').ModuleExportName} */ node) =>
    node.type === 'Literal' ? node.value : node.name;
  new Visitor({
    ImportDeclaration: ({ source: { value }, specifiers }) => {
      const names = specifiers.map((each) =>
        each.type === 'ImportSpecifier' ? nameOf(each.imported) : '*',
      );
      found.push({ specifier: value, names });
    },
    ExportNamedDeclaration: ({ source: from, specifiers }) => {
      if (from === null) return;
      const names = specifiers.map(({ exported }) => nameOf(exported));
      found.push({ specifier: from.value, names, isExport: true });
    },
    ExportAllDeclaration: ({ source: { value } }) => {
      found.push({ specifier: value, names: ['*'], isExport: true });
    },
  }).visit(source.program);
  // `import()` and its kind.
  for (const { specifier, dynamic } of importsOf(source)) {
    if (dynamic && specifier !== null) found.push({ specifier, names: ['*'], late: true });
  }
  return found;
}
