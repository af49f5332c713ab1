import { describe, expect, it } from 'vitest';
import { functionsOf } from '../../scripts/gates/functions.mjs';
import { measureSizes, measureTests, percentile, sizes } from '../../scripts/gates/sizes.mjs';
import { registries, splinters } from '../../scripts/gates/sizes.table.mjs';
import { parseSource } from '../../scripts/gates/source-files.mjs';
import { tree } from '../support/tree.ts';

const lines = (count: number) => '// line\n'.repeat(count);
const longFunction = (name: string, count: number) =>
  `export function ${name}() {\n${lines(count - 2)}}\n`;

describe('gate sizes', () => {
  it('passes on small files and functions', async () => {
    const root = tree({ 'src/vt/a.ts': longFunction('a', 10) });
    expect(await measureSizes(root)).toEqual({
      seen: '1 file, median 10, p95 10 lines; 1 function, median 10, p95 10 lines',
      problems: [],
    });
  });

  it.each([
    ['the median of the files', { a: 201, b: 201, c: 5 }, 'files: median 201 lines, at most 200'],
    [
      'the 95th percentile of the files',
      { a: 451, b: 5, c: 5 },
      'files: p95 451 lines, at most 450',
    ],
    [
      'the longest file',
      { a: 601, ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`b${index}`, 5])) },
      'files: longest 601 lines, at most 600',
    ],
  ])('fails over %s', async (_what, counts, problem) => {
    const files = Object.entries(counts).map(([name, count]) => [
      `src/vt/${name}.ts`,
      lines(count - 5) + longFunction(name, 5),
    ]);
    const { problems } = await measureSizes(tree(Object.fromEntries(files)));
    expect(problems[0]).toBe(problem);
    expect(problems.join('\n')).toContain('src/vt/a.ts:1');
  });

  it.each([
    [[11, 11, 2], 'functions: median 11 lines, at most 10'],
    [[41, 2, 2], 'functions: p95 41 lines, at most 40'],
  ])('fails over the bounds of functions: %j', async (counts, problem) => {
    const text = counts.map((count, index) => longFunction(`f${index}`, count)).join('');
    const { problems } = await measureSizes(tree({ 'src/vt/a.ts': text }));
    expect(problems[0]).toBe(problem);
    expect(problems.join('\n')).toContain('src/vt/a.ts:1 f0');
  });

  it('leaves out tests and generated files', async () => {
    const root = tree({
      'src/vt/a.ts': longFunction('small', 3),
      'src/vt/a.test.ts': lines(900),
      'src/vt/table.gen.ts': lines(9000),
    });
    expect((await measureSizes(root)).problems).toEqual([]);
  });

  it.each(['src/vt/a.test.ts', 'test/support/a.ts', 'test/programs/a.mjs'])(
    'fails over the longest test file: %s',
    (path) => {
      const others = { 'src/vt/b.test.ts': lines(5), 'src/vt/source.ts': lines(601) };
      expect(measureTests(tree({ ...others, [path]: lines(600) }))).toEqual({
        seen: '2 test files, median 5, p95 600 lines',
        problems: [],
      });
      const { problems } = measureTests(tree({ ...others, [path]: lines(601) }));
      expect(problems[0]).toBe('test files: longest 601 lines, at most 600');
      expect(problems[1]).toContain(`601 ${path}:1`);
    },
  );

  /** A file of `length` lines that exports `name`. */
  const exporting = (name: string, length = splinters.lines) =>
    lines(length - 2) + longFunction(name, 2);
  const names = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
  /** Files of so many lines, and files that import all of them with `specifier`. */
  const filesOf = (
    some: readonly string[],
    length: number,
    importers: readonly string[],
    specifier = (name: string) => `./${name}.ts`,
  ) =>
    Object.fromEntries([
      ...some.map((name) => [`src/vt/${name}.ts`, exporting(name, length)]),
      ...importers.map((importer) => [
        importer,
        some.map((name) => `import { ${name} } from '${specifier(name)}';\n`).join('') +
          exporting('importer', 60),
      ]),
    ]);
  const problemsOf = async (files: Readonly<Record<string, string>>) =>
    (await measureSizes(tree(files))).problems;
  const { lines: short, share } = splinters;

  it('fails when a large share of the files is short and has one user', async () => {
    const one = ['src/vt/one.ts'];
    const [first, ...others] = await problemsOf(filesOf(names(3), short, one));
    expect(first).toBe(`75 % of the files are short and have one user, at most ${share * 100} %:`);
    expect(others).toContain(`  ${short} src/vt/s0.ts (src/vt/one.ts)`);
    expect(await problemsOf(filesOf(names(3), short + 1, one))).toEqual([]);
    expect(await problemsOf(filesOf(names(3), short, [...one, 'src/vt/two.ts']))).toEqual([]);
  });

  it('allows one more splinter, however short, as long as the others are few', async () => {
    const others = filesOf(names(Math.ceil(2 / share)), short + 1, ['src/vt/one.ts']);
    expect(
      await problemsOf({
        ...others,
        'src/vt/tiny.ts': 'export const tiny = 1;\nexport const other = () => {};\n',
        'src/vt/user.ts': "import { tiny } from './tiny.ts';\nexport const a = tiny;\n",
      }),
    ).toEqual([]);
  });

  it('counts the users of a name through doors, and not the doors', async () => {
    const door = names(3)
      .map((name) => `export { ${name} } from './${name}.ts';\n`)
      .join('');
    const through = (...importers: readonly string[]) => ({
      ...filesOf(names(3), short, importers, () => '#vt'),
      'src/vt/index.ts': door,
    });
    const [problem] = await problemsOf(through('src/session/one.ts'));
    expect(problem).toContain('are short and have one user');
    expect(await problemsOf(through('src/session/one.ts', 'src/session/two.ts'))).toEqual([]);
    // A name that nobody imports from the door is not a user of the file.
    const unused = { ...through('src/session/one.ts'), 'src/session/two.ts': exporting('two', 60) };
    expect((await problemsOf(unused))[0]).toContain('are short and have one user');
  });

  it('follows doors that pass on all of another door', async () => {
    const files = {
      ...filesOf(names(3), short, ['src/session/one.ts', 'src/session/two.ts'], () => '#vt'),
      'src/vt/index.ts': "export * from './inner/index.ts';\n",
      'src/vt/inner/index.ts': names(3)
        .map((name) => `export * from '../${name}.ts';\n`)
        .join(''),
    };
    expect(await problemsOf(files)).toEqual([]);
  });

  it('leaves out the rows of registries, and what is loaded on demand', async () => {
    const [registry = ''] = registries;
    const rows = filesOf(names(3), short, [registry], (name) => `../../../vt/${name}.ts`);
    expect(await problemsOf(rows)).toEqual([]);
    const late = {
      ...filesOf(names(3), short, []),
      'src/vt/one.ts': `${names(3)
        .map((name) => `export const ${name} = import('./${name}.ts');\n`)
        .join('')}${exporting('one', 60)}`,
    };
    expect(await problemsOf(late)).toEqual([]);
  });

  it('fails on an empty tree', async () => {
    expect((await sizes.run(tree())).problems).toEqual(
      expect.arrayContaining(['saw no file', 'saw no function', 'saw no test file']),
    );
  });
});

describe('functionsOf', () => {
  it('measures functions with a body of statements, by name', () => {
    const text = [
      'function declared() {',
      '}',
      'const arrow = () => {',
      '  return () => 1;',
      '};',
      'class A {',
      '  #field = () => {};',
      '  constructor() {}',
      '  get size() { return 1; }',
      '  #hidden() {',
      '    list.map(function () {});',
      '  }',
      '}',
      'const o = { method() {}, property: () => { return 1; } };',
      'const expression = (a: number) => a + 1;',
      'declare function ambient(): void;',
    ].join('\n');
    const root = tree({ 'a.ts': text });
    const functions = functionsOf(parseSource(root, 'a.ts'));
    expect(functions.map(({ name, line, lines }) => `${line} ${name} ${lines}`).sort()).toEqual(
      [
        '1 declared 2',
        '3 arrow 3',
        '7 field 1',
        '8 constructor 1',
        '9 size 1',
        '10 hidden 3',
        '11  1',
        '14 method 1',
        '14 property 1',
      ].sort(),
    );
  });
});

describe('percentile', () => {
  it.each([
    [[], 0.5, 0],
    [[7], 0.95, 7],
    [[1, 2, 3, 4], 0.5, 2],
    [[4, 3, 2, 1], 0.95, 4],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.95, 95],
  ])('of %j at %d is %d', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });
});
