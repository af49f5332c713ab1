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
  const pathSet = new Set(paths);
  return new Map(
    paths.map((path) => {
      const targets = importsOf(parseSource(root, path))
        .filter(({ specifier }) => specifier?.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier ?? ''));
      return [path, new Set(targets.filter((target) => pathSet.has(target)))];
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
      const record = marks.get(next) ?? visit(next);
      if (record.open) mark.low = Math.min(mark.low, record.low);
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
 * @typedef {object} Users
 * @property {Set<string>} atOnce
 * @property {Set<string>} values those of `atOnce` that import more than types
 * @property {Set<string>} late by `import()`
 */

/**
 * The files that use each file: those that import it, and those of other rooms that import one of its
 * names from a door. A door does not use what it only passes on.
 *
 * @param {readonly import('./source-files.mjs').Source[]} sources
 * @returns {Map<string, Users>} by the paths of the sources
 */
export function usersOf(sources) {
  const users = new Map(
    sources.map(({ path }) => [
      path,
      /** @type {Users} */ ({ atOnce: new Set(), values: new Set(), late: new Set() }),
    ]),
  );
  const passedOn = passedOnByDoors(sources);
  /** @typedef {{ path: string, isType: boolean, late: boolean }} User */
  /** @param {string} target @param {User} user */
  const use = (target, { path, isType, late }) => {
    const entry = users.get(target);
    entry?.[late ? 'late' : 'atOnce'].add(path);
    if (!late && !isType) entry?.values.add(path);
  };
  /** @param {string} door @param {string} name `*` for all @param {User} user */
  const useOfDoor = (door, name, user) => {
    use(door, user);
    for (const [passed, targets] of passedOn.get(door) ?? []) {
      if (passed !== '*' && name !== '*' && passed !== name) continue;
      for (const target of targets) {
        if (passedOn.has(target)) useOfDoor(target, name, user);
        else use(target, user);
      }
    }
  };
  for (const source of sources) {
    const { path } = source;
    for (const each of namedImportsOf(source)) {
      const { specifier, names, isExport, isType = false, late = false } = each;
      if (isExport && isDoor(path)) continue;
      const target = fileOf(specifier, path);
      if (target === undefined) continue;
      const user = { path, isType, late };
      if (passedOn.has(target)) for (const name of names) useOfDoor(target, name, user);
      else use(target, user);
    }
  }
  return users;
}

/** The files of the package's entries that the repository itself imports (package.json, `exports`). */
const entries = new Map([
  ['vtr', 'src/index.ts'],
  ['vtr/acp', 'src/wire/acp/index.ts'],
  ['vtr/test', 'src/app/test/library/index.ts'],
  ['vtr/vt', 'src/vt/library/index.ts'],
]);

/**
 * @param {string} specifier
 * @param {string} from the file that imports it
 * @returns {string | undefined} undefined for a package
 */
function fileOf(specifier, from) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  return specifier.startsWith('#') ? `src/${specifier.slice(1)}/index.ts` : entries.get(specifier);
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
      const target = fileOf(specifier, source.path);
      if (!isExport || target === undefined) continue;
      for (const name of names) passed.set(name, [...(passed.get(name) ?? []), target]);
    }
    doors.set(source.path, passed);
  }
  return doors;
}

/**
 * @typedef {object} NamedImport
 * @property {string} specifier
 * @property {string[]} names
 * @property {boolean} [isExport]
 * @property {boolean} [isType] whether all of the names are those of types
 * @property {boolean} [late] by `import()`
 */

/**
 * The imports and re-exports of a file, with their names: those that an import asks for, and those that a
 * re-export offers.
 *
 * @param {import('./source-files.mjs').Source} source
 * @returns {NamedImport[]}
 */
function namedImportsOf(source) {
  /** @type {NamedImport[]} */
  const imports = [];
  const nameOf = (/** @type {import('oxc-parser').ModuleExportName} */ node) =>
    node.type === 'Literal' ? node.value : node.name;
  new Visitor({
    ImportDeclaration: ({ source: { value }, specifiers, importKind }) => {
      const names = specifiers.map((each) =>
        each.type === 'ImportSpecifier' ? nameOf(each.imported) : '*',
      );
      const isType =
        importKind === 'type' ||
        (specifiers.length > 0 &&
          specifiers.every(
            (each) => each.type === 'ImportSpecifier' && each.importKind === 'type',
          ));
      imports.push({ specifier: value, names, isType });
    },
    ExportNamedDeclaration: ({ source: from, specifiers }) => {
      if (from === null) return;
      const names = specifiers.map(({ exported }) => nameOf(exported));
      imports.push({ specifier: from.value, names, isExport: true });
    },
    ExportAllDeclaration: ({ source: { value } }) => {
      imports.push({ specifier: value, names: ['*'], isExport: true });
    },
  }).visit(source.program);
  // `import()` and its kind.
  for (const { specifier, dynamic } of importsOf(source)) {
    if (dynamic && specifier !== null) imports.push({ specifier, names: ['*'], late: true });
  }
  return imports;
}
