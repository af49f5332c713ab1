import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { bundledPackages, entry, packageRooms, roomTable } from './rooms.table.mjs';
import { isTest } from './source-files.mjs';

/** @typedef {import('./rooms.table.mjs').Room} Room */

/**
 * The room that contains a file.
 *
 * @param {string} path relative to the root, e.g. `src/vt/parser/parser.ts`
 * @returns {Room | undefined}
 */
export const roomOf = (path) => roomTable.find((room) => path.startsWith(`src/${room.name}/`));

/**
 * The directory that contains a file, if it is below that of a room.
 *
 * @param {string} path relative to the root
 * @returns {string | undefined} e.g. `src/vt/parser`; undefined for a file of `src/vt` itself
 */
export function directoryInRoom(path) {
  const room = roomOf(path);
  const directory = posix.dirname(path);
  return room === undefined || directory === `src/${room.name}` ? undefined : directory;
}

/** @param {Room} room */
export const doorsOf = ({ name, sideDoors = [], testDoors = [], isProgram = false }) => [
  ...(isProgram ? [] : [name]),
  ...sideDoors,
  ...testDoors,
];

/**
 * The room that a door leads into.
 *
 * @param {string} door without its `#`
 * @returns {Room | undefined}
 */
export const roomBehind = (door) => roomTable.find((room) => doorsOf(room).includes(door));

/**
 * The problem of an import, if it has one. A test obeys the table like its room; in addition it may
 * import Node's modules, any installed package and `test/`.
 *
 * @param {string} path of the importing file, relative to the root
 * @param {import('./imports.mjs').Import} each
 * @returns {string | undefined}
 */
export function importProblem(path, { specifier, dynamic }) {
  const room = roomOf(path);
  if (room === undefined && path !== `src/${entry.file}`) return undefined;
  if (specifier === null) return 'imports a computed name; write the module as a literal';
  if (specifier.startsWith('#')) return doorProblem(path, room, specifier.slice(1), dynamic);
  if (specifier.startsWith('.')) return relativeProblem(path, room, specifier);
  if (isBuiltin(specifier)) return builtinProblem(path, room, specifier);
  return packageProblem(path, room, specifier);
}

/**
 * @param {string} path
 * @param {Room | undefined} room
 * @param {string} name of the door
 * @param {boolean} dynamic
 */
function doorProblem(path, room, name, dynamic) {
  const here = room?.name ?? entry.file;
  const behind = roomBehind(name);
  if (behind === undefined) return `opens #${name}, which is not a room`;
  if (behind === room) {
    return isTest(path) ? undefined : `opens its own door #${name}; import the file`;
  }
  if (behind.testDoors?.includes(name)) {
    return isTest(path) ? undefined : `opens #${name}, which is for tests`;
  }
  const { opens, opensLate = [] } = /** @type {Pick<Room, 'opens' | 'opensLate'>} */ (
    room ?? entry
  );
  if (opens.includes(name) || (dynamic && opensLate.includes(name))) return undefined;
  if (opensLate.includes(name)) return `opens #${name} at once; ${here} may only by import()`;
  return `opens #${name}; ${here} may open ${opens.join(', ') || 'nothing'}`;
}

/**
 * @param {string} path
 * @param {Room | undefined} room
 * @param {string} specifier
 */
function relativeProblem(path, room, specifier) {
  const target = posix.join(posix.dirname(path), specifier);
  if (room === undefined) return `imports ${specifier}; the entry opens rooms by their doors`;
  if (isTest(path) && target.startsWith('test/')) return undefined;
  if (roomOf(`${target}/`) !== room) return `imports ${specifier}, outside its room; use a door`;
  if (!isTest(path) && doorsOf(room).some((door) => target === `src/${door}/index.ts`)) {
    return 'imports the door of its own room; import the file';
  }
  return undefined;
}

/**
 * @param {string} path
 * @param {Room | undefined} room
 * @param {string} specifier
 */
function builtinProblem(path, room, specifier) {
  if (!specifier.startsWith('node:')) return `imports ${specifier}; write node:${specifier}`;
  if (isTest(path) || (room !== undefined && !room.pure)) return undefined;
  return `imports ${specifier}; ${room?.name ?? entry.file} may not import Node's modules`;
}

/**
 * @param {string} path
 * @param {Room | undefined} room
 * @param {string} specifier
 */
function packageProblem(path, room, specifier) {
  if (isTest(path)) return undefined;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const owners = { ...packageRooms, ...bundledPackages };
  const allowed = Object.hasOwn(owners, name) ? [owners[name] ?? []].flat() : [];
  if (allowed.length === 0) return `imports ${name}, which is not in the table of packages`;
  if (room !== undefined && allowed.includes(room.name)) return undefined;
  return `imports ${name}; only ${allowed.join(' and ')} may`;
}
