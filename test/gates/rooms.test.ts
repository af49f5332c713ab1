import { describe, expect, it } from 'vitest';
import { findCycle, rooms } from '../../scripts/gates/rooms.mjs';
import { doorsOf } from '../../scripts/gates/rooms.rules.mjs';
import { bundledPackages, packageRooms, roomTable } from '../../scripts/gates/rooms.table.mjs';
import { tree } from '../support/tree.ts';

type Files = Readonly<Record<string, string>>;

/** A door for each room of the table that `files` leave out, and a file for each without a door. */
function otherRooms(files: Files): Files {
  const paths = Object.keys(files);
  const missing = roomTable.filter(
    ({ name }) => !paths.some((path) => path.startsWith(`src/${name}/`)),
  );
  const programs = missing.filter(({ isProgram }) => isProgram);
  const others = [
    ...missing.flatMap(doorsOf).map((door) => `src/${door}/index.ts`),
    ...programs.map(({ name }) => `src/${name}/main.ts`),
  ];
  return Object.fromEntries(others.map((path) => [path, 'export {};']));
}

const versions = (names: object) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, '1.0.0']));
const dependencies = versions(packageRooms);
const devDependencies = versions(bundledPackages);

const sound: Files = {
  ...withDoors('vt'),
  'src/base/index.ts': "export { a } from './a.ts';",
  'src/base/a.ts': 'export const a = 1;',
  'src/vt/index.ts': "import { a } from '#base'; export const b = a;",
};

async function problemsIn(files: Files): Promise<readonly string[]> {
  const all = {
    'package.json': JSON.stringify({ dependencies, devDependencies }),
    ...otherRooms(files),
    ...files,
  };
  return (await rooms.run(tree(all))).problems;
}

/** The doors of a room. */
function withDoors(name: string): Files {
  const room = roomTable.filter((each) => each.name === name);
  return Object.fromEntries(
    room.flatMap(doorsOf).map((door) => [`src/${door}/index.ts`, 'export {};']),
  );
}

describe('gate rooms', () => {
  it('passes on a sound tree', async () => {
    expect(await problemsIn(sound)).toEqual([]);
  });

  it('fails on an empty tree', async () => {
    const { problems } = await rooms.run(tree());
    expect(problems).toEqual(expect.arrayContaining(['saw no file in src', 'saw no import']));
  });

  it('fails when there are files and no import', async () => {
    expect(await problemsIn({ 'src/base/index.ts': 'export {};' })).toEqual(['saw no import']);
  });

  it('fails when directories of a room import each other, of types too', async () => {
    const files = {
      ...sound,
      'src/vt/cells/a.ts': "import type { B } from '../grid/b.ts';",
      'src/vt/cells/c.ts': 'export const c = 1;',
      'src/vt/grid/b.ts': 'export type B = number;',
      'src/vt/grid/d.ts': "export { c } from '../cells/c.ts'; export { e } from '../e.ts';",
      // The directory of the room itself may have what all share, and what joins them.
      'src/vt/e.ts': 'export const e = 1;',
      'src/vt/f.ts': "export { c } from './cells/c.ts';",
    };
    expect(await problemsIn(files)).toEqual([
      [
        'directories of a room import each other: src/vt/cells, src/vt/grid',
        '  src/vt/cells/a.ts -> src/vt/grid/b.ts',
      ].join('\n'),
    ]);
    expect(await problemsIn({ ...files, 'src/vt/cells/a.ts': 'export type A = 1;' })).toEqual([]);
  });

  it('fails when a directory and one within it import each other', async () => {
    const files = {
      ...sound,
      'src/vt/functions/a.ts': "export { b } from './osc/b.ts';",
      'src/vt/functions/c.ts': 'export const c = 1;',
      'src/vt/functions/osc/b.ts': "export { c as b } from '../c.ts';",
    };
    expect(await problemsIn(files)).toEqual([
      expect.stringContaining('import each other: src/vt/functions, src/vt/functions/osc'),
    ]);
  });

  it.each([
    ['static', "import { a } from '#session';"],
    ['type only', "import type { a } from '#session';"],
    ['for its effect', "import '#session';"],
    ['named re-export', "export { a } from '#session';"],
    ['empty re-export', "export {} from '#session';"],
    ['star re-export', "export * from '#session';"],
    ['dynamic', "export const a = import('#session');"],
    ['type expression', "export type A = import('#session').A;"],
    ['import assignment', "import a = require('#session'); export { a };"],
    ['require', "export const a = require('#session');"],
    ['require.resolve', "export const a = require.resolve('#session');"],
  ])('sees an upward import: %s', async (_how, text) => {
    expect(await problemsIn({ ...sound, 'src/vt/up.ts': text })).toEqual([
      'src/vt/up.ts:1 opens #session; vt may open base, model',
    ]);
  });

  it.each([
    ['vt', "import '../base/a.ts';", 'imports ../base/a.ts, outside its room; use a door'],
    ['vt', "import '../index.ts';", 'imports ../index.ts, outside its room; use a door'],
    ['vt', "import '#base/a';", 'opens #base/a, which is not a room'],
    ['vt', "import '#vt';", 'opens its own door #vt; import the file'],
    ['session', "import '#vt/checks';", 'opens #vt/checks, which is for tests'],
    ['vt', "import './index.ts';", 'imports the door of its own room; import the file'],
    [
      'vt',
      'export const a = (b: string) => import(b);',
      'imports a computed name; write the module as a literal',
    ],
    ['vt', "import 'node:fs';", "imports node:fs; vt may not import Node's modules"],
    ['pty', "import 'fs';", 'imports fs; write node:fs'],
    ['vt', "import '@lydell/node-pty';", 'imports @lydell/node-pty; only pty may'],
    ['pty', "import 're2js/x';", 'imports re2js; only watch may'],
    ['pty', "import 'left-pad';", 'imports left-pad, which is not in the table of packages'],
    [
      'vt',
      "import '../../test/support/tree.ts';",
      'imports ../../test/support/tree.ts, outside its room; use a door',
    ],
    ['app/cli', "import '#app/daemon';", 'opens #app/daemon at once; app/cli may only by import()'],
    ['wire/mcp', "import '#wire/service';", 'opens #wire/service; wire/mcp may open base, model'],
    [
      'wire/mcp',
      "import '#wire/service/short';",
      'opens #wire/service/short; wire/mcp may open base, model',
    ],
  ])('refuses in %s: %s', async (room, text, problem) => {
    const files = { ...sound, ...withDoors(room), [`src/${room}/x.ts`]: text };
    expect(await problemsIn(files)).toEqual([`src/${room}/x.ts:1 ${problem}`]);
  });

  it.each([
    ['pty', "import 'node:fs'; import '@lydell/node-pty/x';"],
    ['app/cli', "export const a = import('#app/daemon');"],
    ['session', "import '#vt'; import '#keys'; import '#pty'; import '#shell';"],
  ])('allows in %s: %s', async (room, text) => {
    const files = { ...sound, ...withDoors(room), [`src/${room}/x.ts`]: text };
    expect(await problemsIn(files)).toEqual([]);
  });

  it('lets a test use its own door, Node, packages and test/, and no room above', async () => {
    const text =
      "import '#vt'; import 'node:fs'; import 'vitest'; import '../../test/support/x.ts';\nimport '#pty';";
    expect(await problemsIn({ ...sound, 'src/vt/x.test.ts': text })).toEqual([
      'src/vt/x.test.ts:2 opens #pty; vt may open base, model',
    ]);
  });

  it('holds the entry to its rooms and to doors', async () => {
    const text = "import '#model';\nimport '#vt';\nimport './vt/index.ts';\nimport 'node:fs';";
    expect(await problemsIn({ ...sound, 'src/index.ts': text })).toEqual([
      'src/index.ts:2 opens #vt; index.ts may open base, model, coordinator, wire/service, app/client',
      'src/index.ts:3 imports ./vt/index.ts; the entry opens rooms by their doors',
      "src/index.ts:4 imports node:fs; index.ts may not import Node's modules",
    ]);
  });

  it.each([
    ['a directory that is not a room', { 'src/attic/a.ts': '' }, 'src/attic is not in the table'],
    ['a directory in a wing', { 'src/wire/soap/a.ts': '' }, 'src/wire/soap is not in the table'],
    ['a file outside the rooms', { 'src/main.ts': '' }, 'src/main.ts is not in a room'],
    ['a file in a wing', { 'src/app/a.ts': '' }, 'src/app/a.ts is not in a room'],
    ['a room without a door', { 'src/keys/a.ts': '' }, 'src/keys has no door'],
    [
      'a side door that is missing',
      { 'src/wire/service/index.ts': '' },
      'src/wire/service/short has no door',
    ],
    ['a room without sources', { 'src/keys/notes.txt': '' }, 'src/keys has no file'],
  ])('refuses %s', async (_what, files, problem) => {
    const problems = await problemsIn({ ...sound, ...files });
    expect(problems.join('\n')).toContain(problem);
  });

  it('compares the table of packages with package.json', async () => {
    const { re2js: _, ...others } = dependencies;
    const { preact: _bundled, ...bundled } = devDependencies;
    const declared = JSON.stringify({
      dependencies: { ...others, express: '1' },
      devDependencies: bundled,
    });
    expect(await problemsIn({ ...sound, 'package.json': declared })).toEqual([
      'express is a dependency, and not in the table of packages',
      're2js is in the table of packages, and not a dependency',
      'preact is in the table of bundled packages, and not a devDependency',
    ]);
  });

  it.each([
    ['directly', { b: "import './c.ts';", c: "import './b.ts';" }, 'b, c'],
    ['by a type', { b: "import './c.ts';", c: "export type A = import('./b.ts').A;" }, 'b, c'],
    [
      'in a ring',
      { b: "import './c.ts';", c: "export * from './d.ts';", d: "import './b.ts';" },
      'b, c, d',
    ],
    ['itself', { b: "import './b.ts';" }, 'b'],
  ])('refuses files of a room that import each other: %s', async (_how, texts, group) => {
    const files = Object.entries(texts).map(([name, text]) => [`src/vt/${name}.ts`, text]);
    const names = group.split(', ').map((name) => `src/vt/${name}.ts`);
    expect(await problemsIn({ ...sound, ...Object.fromEntries(files) })).toEqual([
      `files import each other: ${names.join(', ')}`,
    ]);
  });

  it('allows a test to import the file that it tests', async () => {
    const files = { 'src/base/a.test.ts': "import { a } from './a.ts'; export const b = a;" };
    expect(await problemsIn({ ...sound, ...files })).toEqual([]);
  });

  it('refuses a room of the table that does not exist', async () => {
    const { problems } = await rooms.run(tree({ ...sound, 'package.json': '{}' }));
    expect(problems).toContain('src/keys is in the table of rooms and does not exist');
  });

  it('finds rooms that import each other', async () => {
    const problems = await problemsIn({ ...sound, 'src/base/b.ts': "import '#vt';" });
    expect(problems).toContain('rooms import each other: base -> vt -> base');
  });
});

describe('the table of rooms', () => {
  it('has no cycle', () => {
    const edges = roomTable.map(
      ({ name, opens, opensLate = [] }) => [name, new Set([...opens, ...opensLate])] as const,
    );
    expect(findCycle(new Map(edges))).toBeUndefined();
  });

  it('opens rooms of lower floors only, and on the top floor others of it', () => {
    const floorOf = new Map(
      roomTable.flatMap((room) => doorsOf(room).map((door) => [door, room.floor])),
    );
    for (const { name, floor, opens, opensLate = [] } of roomTable) {
      for (const other of [...opens, ...opensLate]) {
        const below = floorOf.get(other) ?? Number.NaN;
        expect(below < floor || (floor === 6 && below === 6), `${name} -> ${other}`).toBe(true);
      }
    }
  });
});
