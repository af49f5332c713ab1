import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cyclesOf, fileGraph } from './file-graph.mjs';
import { counted, runWhenMain } from './gate.mjs';
import { importsOf } from './imports.mjs';
import { directoryInRoom, doorsOf, importProblem, roomBehind, roomOf } from './rooms.rules.mjs';
import { bundledPackages, entry, packageRooms, roomTable, wings } from './rooms.table.mjs';
import { listFiles, parseSource } from './source-files.mjs';

/** @type {import('./gate.mjs').Gate} */
export const rooms = {
  name: 'rooms',
  holds:
    'imports follow the table of rooms, through doors; neither files nor directories of a room import each other',
  async run(root) {
    const files = listFiles(root, ['src'], /\.[cm]?[jt]sx?$/);
    /** @type {string[]} */
    const problems = [...layoutProblems(root, files), ...packageProblems(root)];
    /** @type {Map<string, Set<string>>} */
    const edges = new Map();
    let importCount = 0;
    for (const path of files) {
      for (const each of importsOf(parseSource(root, path))) {
        importCount += 1;
        const problem = importProblem(path, each);
        if (problem !== undefined) problems.push(`${path}:${each.line} ${problem}`);
        addEdge(edges, path, each);
      }
    }
    const cycle = findCycle(edges);
    if (cycle !== undefined) problems.push(`rooms import each other: ${cycle.join(' -> ')}`);
    if (files.length === 0) problems.push('saw no file in src');
    if (importCount === 0) problems.push('saw no import');
    const graph = fileGraph(root);
    problems.push(...fileCycleProblems(graph), ...directoryPairProblems(graph));
    return {
      seen: `${counted(files.length, 'file')}, ${counted(importCount, 'import')}`,
      problems,
    };
  },
};

/**
 * Files that import each other in a cycle, of types too, cannot be read one after the other.
 *
 * @param {import('./file-graph.mjs').FileGraph} graph
 */
const fileCycleProblems = (graph) =>
  cyclesOf(graph).map((group) => `files import each other: ${group.join(', ')}`);

/**
 * Two directories of a room that import each other are one: a reader of either needs both. The directory
 * of the room itself does not count, because it has what all of its directories share and what joins them.
 *
 * @param {import('./file-graph.mjs').FileGraph} graph
 * @returns {string[]}
 */
function directoryPairProblems(graph) {
  /** @type {Map<string, string[]>} the imports of each ordered pair of directories, as `FILE -> FILE` */
  const imports = new Map();
  for (const [path, targets] of graph) {
    const from = directoryInRoom(path);
    for (const target of targets) {
      const to = directoryInRoom(target);
      if (from === undefined || to === undefined || from === to) continue;
      const pair = `${from} ${to}`;
      imports.set(pair, [...(imports.get(pair) ?? []), `  ${path} -> ${target}`]);
    }
  }
  return [...imports].flatMap(([pair, forth]) => {
    const [from = '', to = ''] = pair.split(' ');
    const back = imports.get(`${to} ${from}`);
    if (back === undefined || from > to) return [];
    const fewer = forth.length <= back.length ? forth : back;
    return [[`directories of a room import each other: ${from}, ${to}`, ...fewer].join('\n')];
  });
}

/**
 * Every directory is in the table of rooms and has a door and a file, and every room has a directory.
 *
 * @param {string} root
 * @param {readonly string[]} files
 */
function layoutProblems(root, files) {
  const problems = files
    .filter((path) => path !== `src/${entry.file}` && roomOf(path) === undefined)
    .map((path) => `${path} is not in a room of the table`);
  const directories = roomDirectories(root);
  for (const { name } of roomTable) {
    if (!directories.includes(name))
      problems.push(`src/${name} is in the table of rooms and does not exist`);
  }
  for (const name of directories) {
    const room = roomTable.find((each) => each.name === name);
    if (room === undefined) {
      problems.push(`src/${name} is not in the table of rooms (scripts/gates/rooms.table.mjs)`);
    } else if (!files.some((path) => path.startsWith(`src/${name}/`))) {
      problems.push(`src/${name} has no file`);
    } else {
      for (const door of doorsOf(room)) {
        if (files.includes(`src/${door}/index.ts`)) continue;
        problems.push(`src/${door} has no door; it needs an index.ts`);
      }
    }
  }
  return problems;
}

/**
 * The directories that have to be rooms: those of src, and in place of its wings those of the wings.
 *
 * @param {string} root
 */
function roomDirectories(root) {
  const below = (/** @type {string} */ directory) =>
    existsSync(join(root, directory))
      ? readdirSync(join(root, directory), { withFileTypes: true })
          .filter((each) => each.isDirectory())
          .map((each) => each.name)
      : [];
  return below('src').flatMap((name) =>
    wings.includes(name) ? below(`src/${name}`).map((room) => `${name}/${room}`) : [name],
  );
}

/**
 * The tables of packages and package.json have the same names.
 *
 * @param {string} root
 */
function packageProblems(root) {
  const file = join(root, 'package.json');
  if (!existsSync(file)) return ['there is no package.json'];
  const {
    dependencies = {},
    peerDependencies = {},
    devDependencies = {},
  } = JSON.parse(readFileSync(file, 'utf8'));
  const declared = Object.keys({ ...dependencies, ...peerDependencies });
  const packages = Object.keys(packageRooms);
  return [
    ...declared
      .filter((name) => !packages.includes(name))
      .map((name) => `${name} is a dependency, and not in the table of packages`),
    ...packages
      .filter((name) => !declared.includes(name))
      .map((name) => `${name} is in the table of packages, and not a dependency`),
    ...Object.keys(bundledPackages)
      .filter((name) => !Object.hasOwn(devDependencies, name))
      .map((name) => `${name} is in the table of bundled packages, and not a devDependency`),
  ];
}

/**
 * @param {Map<string, Set<string>>} edges
 * @param {string} path
 * @param {import('./imports.mjs').Import} each
 */
function addEdge(edges, path, { specifier }) {
  const from = roomOf(path);
  const to = specifier?.startsWith('#') ? roomBehind(specifier.slice(1)) : undefined;
  if (from === undefined || to === undefined || from === to) return;
  edges.set(from.name, (edges.get(from.name) ?? new Set()).add(to.name));
}

/**
 * @param {ReadonlyMap<string, ReadonlySet<string>>} edges
 * @returns {string[] | undefined} the names of a cycle; the first one is repeated at the end
 */
export function findCycle(edges) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {(name: string, path: string[]) => string[] | undefined} */
  const visit = (name, path) => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of edges.get(name) ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of edges.keys()) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

await runWhenMain(import.meta.url, rooms);
