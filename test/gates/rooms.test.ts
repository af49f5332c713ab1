import { describe, expect, it } from 'vitest';
import { findCycle, rooms } from '../../scripts/gates/rooms.mjs';
import { doorsOf } from '../../scripts/gates/rooms.rules.mjs';
import { packageRooms, roomTable } from '../../scripts/gates/rooms.table.mjs';
import { tree } from '../support/tree.ts';

type Files = Readonly<Record<string, string>>;

/** ARCHITECTURE.md's table for a tree in which the rooms of `files` are built. */
function documentFor(files: Files): string {
  const rows = roomTable.map(({ name, floor, opens, opensLate = [] }) => {
    const late = opensLate.map((each) => `${each} (by \`import()\` only)`);
    const built = Object.keys(files).some((path) => path.startsWith(`src/${name}/`));
    const may = [...opens, ...late].join(', ') || 'nothing';
    return `| ${name} | ${floor} | ${may} | ${built ? 'built' : 'to come'} |`;
  });
  return ['| room | floor | may open | state |', '|---|--:|---|---|', ...rows].join('\n');
}

const dependencies = Object.fromEntries(Object.keys(packageRooms).map((name) => [name, '1.0.0']));

const sound: Files = {
  'src/base/index.ts': "export { a } from './a.ts';",
  'src/base/a.ts': 'export const a = 1;',
  'src/vt/index.ts': "import { a } from '#base'; export const b = a;",
};

async function problemsIn(files: Files): Promise<readonly string[]> {
  const all = {
    'package.json': JSON.stringify({ dependencies }),
    'ARCHITECTURE.md': documentFor(files),
    ...files,
  };
  return (await rooms.run(tree(all))).problems;
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
    ['vt', "import '#base/a';", 'opens #base/a, which is no room'],
    ['vt', "import '#vt';", 'opens its own door #vt; import the file'],
    ['vt', "import './index.ts';", 'imports the door of its own room; import the file'],
    [
      'vt',
      'export const a = (b: string) => import(b);',
      'imports something computed; name the module',
    ],
    ['vt', "import 'node:fs';", 'imports node:fs; vt may not know Node'],
    ['pty', "import 'fs';", 'imports fs; write node:fs'],
    ['vt', "import '@lydell/node-pty';", 'imports @lydell/node-pty; only pty may'],
    ['pty', "import 're2js/x';", 'imports re2js; only watch may'],
    ['pty', "import 'left-pad';", 'imports left-pad, which the table gives to no room'],
    [
      'vt',
      "import '../../test/support/tree.ts';",
      'imports ../../test/support/tree.ts, outside its room; use a door',
    ],
    ['app/cli', "import '#app/daemon';", 'opens #app/daemon at once; app/cli may by import() only'],
    ['wire/mcp', "import '#wire/service';", 'opens #wire/service; wire/mcp may open base, model'],
    [
      'wire/mcp',
      "import '#wire/service/short';",
      'opens #wire/service/short; wire/mcp may open base, model',
    ],
  ])('refuses in %s: %s', async (room, text, problem) => {
    const files = { ...sound, [`src/${room}/index.ts`]: 'export {};', [`src/${room}/x.ts`]: text };
    expect(await problemsIn(files)).toEqual([`src/${room}/x.ts:1 ${problem}`]);
  });

  it.each([
    ['pty', "import 'node:fs'; import '@lydell/node-pty/x';"],
    ['app/cli', "export const a = import('#app/daemon');"],
    ['session', "import '#vt'; import '#keys'; import '#pty'; import '#shell';"],
  ])('allows in %s: %s', async (room, text) => {
    const files = { ...sound, [`src/${room}/index.ts`]: 'export {};', [`src/${room}/x.ts`]: text };
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
      'src/index.ts:2 opens #vt; index.ts may open base, model, coordinator, wire/service',
      'src/index.ts:3 imports ./vt/index.ts; the entry opens rooms by their doors',
      'src/index.ts:4 imports node:fs; index.ts may not know Node',
    ]);
  });

  it.each([
    ['a folder that is no room', { 'src/attic/a.ts': '' }, 'src/attic is no room of the table'],
    ['a folder in a wing', { 'src/wire/soap/a.ts': '' }, 'src/wire/soap is no room of the table'],
    ['a file outside the rooms', { 'src/main.ts': '' }, 'src/main.ts stands in no room'],
    ['a file in a wing', { 'src/app/a.ts': '' }, 'src/app/a.ts stands in no room'],
    ['a room without a door', { 'src/keys/a.ts': '' }, 'src/keys has no door'],
    [
      'a side door that is missing',
      { 'src/wire/service/index.ts': '' },
      'src/wire/service/short has no door',
    ],
    ['a room without sources', { 'src/keys/notes.txt': '' }, 'src/keys holds no file'],
  ])('refuses %s', async (_what, files, problem) => {
    const problems = await problemsIn({ ...sound, ...files });
    expect(problems.join('\n')).toContain(problem);
  });

  it('holds the table of packages against package.json', async () => {
    const { re2js: _, ...others } = dependencies;
    const declared = JSON.stringify({ dependencies: { ...others, express: '1' } });
    expect(await problemsIn({ ...sound, 'package.json': declared })).toEqual([
      'express is a dependency, and the table gives it to no room',
      're2js stands in the table, and is no dependency',
    ]);
  });

  it('holds ARCHITECTURE.md against the table and the folders', async () => {
    const text = documentFor(sound)
      .replace('| vt | 2 | base, model | built |', '| vt | 2 | base, model, pty | built |')
      .replace('| keys | 2 | base, model | to come |', '| keys | 2 | base, model | built |');
    expect(await problemsIn({ ...sound, 'ARCHITECTURE.md': text })).toEqual([
      "ARCHITECTURE.md's table of rooms lacks | keys | 2 | base, model | to come |",
      "ARCHITECTURE.md's table of rooms lacks | vt | 2 | base, model | built |",
      "ARCHITECTURE.md's table of rooms has | keys | 2 | base, model | built |, which is not so",
      "ARCHITECTURE.md's table of rooms has | vt | 2 | base, model, pty | built |, which is not so",
    ]);
  });

  it('finds rooms that import each other', async () => {
    const problems = await problemsIn({ ...sound, 'src/base/b.ts': "import '#vt';" });
    expect(problems).toContain('rooms import each other: base -> vt -> base');
  });
});

describe('the table of rooms', () => {
  it('has no way in a circle', () => {
    const edges = roomTable.map(
      ({ name, opens, opensLate = [] }) => [name, new Set([...opens, ...opensLate])] as const,
    );
    expect(findCycle(new Map(edges))).toBeUndefined();
  });

  it('opens downwards only, and along on the top floor', () => {
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
