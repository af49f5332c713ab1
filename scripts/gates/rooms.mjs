import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { counted, runWhenMain } from './gate.mjs';
import { importsOf } from './imports.mjs';
import { documentProblems } from './rooms.document.mjs';
import { doorsOf, importProblem, roomBehind, roomOf } from './rooms.rules.mjs';
import { entry, packageRooms, roomTable, wings } from './rooms.table.mjs';
import { listFiles, parseSource } from './source-files.mjs';

/** @type {import('./gate.mjs').Gate} */
export const rooms = {
  name: 'rooms',
  holds: 'rooms import what the table allows, through doors, and the documents say the same',
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
    problems.push(...documentProblems(root));
    return {
      seen: `${counted(files.length, 'file')}, ${counted(importCount, 'import')}`,
      problems,
    };
  },
};

/**
 * Every folder is a room of the table, with a door and something behind it.
 *
 * @param {string} root
 * @param {readonly string[]} files
 */
function layoutProblems(root, files) {
  const problems = files
    .filter((path) => path !== `src/${entry.file}` && roomOf(path) === undefined)
    .map((path) => `${path} stands in no room of the table`);
  for (const name of foldersOf(root)) {
    const room = roomTable.find((each) => each.name === name);
    if (room === undefined) {
      problems.push(`src/${name} is no room of the table (scripts/gates/rooms.table.mjs)`);
    } else if (!files.some((path) => path.startsWith(`src/${name}/`))) {
      problems.push(`src/${name} holds no file`);
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
 * Folders where rooms stand: those of src, and those of its wings instead of the wings.
 *
 * @param {string} root
 */
function foldersOf(root) {
  const below = (/** @type {string} */ folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { withFileTypes: true })
          .filter((each) => each.isDirectory())
          .map((each) => each.name)
      : [];
  return below('src').flatMap((name) =>
    wings.includes(name) ? below(`src/${name}`).map((room) => `${name}/${room}`) : [name],
  );
}

/**
 * The table of packages and package.json name the same ones.
 *
 * @param {string} root
 */
function packageProblems(root) {
  const file = join(root, 'package.json');
  if (!existsSync(file)) return ['there is no package.json'];
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
  const declared = Object.keys({ ...dependencies, ...peerDependencies });
  const known = Object.keys(packageRooms);
  return [
    ...declared
      .filter((name) => !known.includes(name))
      .map((name) => `${name} is a dependency, and the table gives it to no room`),
    ...known
      .filter((name) => !declared.includes(name))
      .map((name) => `${name} stands in the table, and is no dependency`),
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
 * @returns {string[] | undefined} the names along a cycle, the first one again at the end
 */
export function findCycle(edges) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {(name: string, way: string[]) => string[] | undefined} */
  const visit = (name, way) => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of edges.get(name) ?? []) {
      const cycle = visit(next, [...way, name]);
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
