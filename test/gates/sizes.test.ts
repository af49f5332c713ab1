import { describe, expect, it } from 'vitest';
import { functionsOf } from '../../scripts/gates/functions.mjs';
import { measureSizes, percentile, sizes } from '../../scripts/gates/sizes.mjs';
import { splinters } from '../../scripts/gates/sizes.table.mjs';
import { parseSource } from '../../scripts/gates/source-files.mjs';
import { tree } from '../support/tree.ts';

const lines = (count: number) => '// line\n'.repeat(count);
const longFunction = (name: string, count: number) =>
  `export function ${name}() {\n${lines(count - 2)}}\n`;

describe('gate sizes', () => {
  it('passes on small files and functions', async () => {
    const root = tree({ 'src/vt/a.ts': longFunction('a', 10) });
    expect(await measureSizes(root, [])).toEqual({
      seen: '1 file, median 10, p95 10 lines; 1 function, median 10, p95 10 lines',
      problems: [],
    });
  });

  it.each([
    ['the median of the files', { a: 101, b: 101, c: 5 }, 'files: median 101 lines, at most 100'],
    [
      'the 95th percentile of the files',
      { a: 351, b: 5, c: 5 },
      'files: p95 351 lines, at most 350',
    ],
  ])('fails over %s', async (_what, counts, problem) => {
    const files = Object.entries(counts).map(([name, count]) => [
      `src/vt/${name}.ts`,
      lines(count - 5) + longFunction(name, 5),
    ]);
    const { problems } = await measureSizes(tree(Object.fromEntries(files)), []);
    expect(problems[0]).toBe(problem);
    expect(problems.join('\n')).toContain('src/vt/a.ts:1');
  });

  it.each([
    [[11, 11, 2], 'functions: median 11 lines, at most 10'],
    [[41, 2, 2], 'functions: p95 41 lines, at most 40'],
  ])('fails over the bounds of functions: %j', async (counts, problem) => {
    const text = counts.map((count, index) => longFunction(`f${index}`, count)).join('');
    const { problems } = await measureSizes(tree({ 'src/vt/a.ts': text }), []);
    expect(problems[0]).toBe(problem);
    expect(problems.join('\n')).toContain('src/vt/a.ts:1 f0');
  });

  it('leaves out tests, generated files and declared exceptions', async () => {
    const root = tree({
      'src/vt/a.ts': longFunction('small', 3) + longFunction('dispatch', 90),
      'src/vt/a.test.ts': lines(900),
      'src/vt/table.gen.ts': lines(9000),
      'src/vt/table.ts': lines(900),
    });
    const exceptions = [
      { path: 'src/vt/a.ts', name: 'dispatch', reason: 'a flat dispatch' },
      { path: 'src/vt/table.ts', reason: 'a flat table' },
    ];
    expect((await measureSizes(root, exceptions)).problems).toEqual([]);
  });

  it('refuses exceptions for missing functions, or without a reason', async () => {
    const root = tree({ 'src/vt/a.ts': longFunction('a', 3) });
    const exceptions = [
      { path: 'src/vt/a.ts', name: 'gone', reason: 'was long' },
      { path: 'src/vt/a.ts', reason: ' ' },
    ];
    // The exception removes the only file.
    expect((await measureSizes(root, exceptions)).problems).toEqual([
      'saw no file',
      'there is an exception for gone in src/vt/a.ts, which does not exist',
      'the exception for src/vt/a.ts gives no reason',
    ]);
  });

  it('fails over the number of splinters', async () => {
    const [{ atMost } = { atMost: 0 }] = splinters;
    const names = Array.from({ length: atMost + 1 }, (_, index) => `s${index}`);
    const text = (length: number) => lines(length - 2) + longFunction('f', 2);
    const treeOf = (length: number, importers: readonly string[]) =>
      tree(
        Object.fromEntries([
          ...names.map((name) => [`src/vt/${name}.ts`, text(length)]),
          ...importers.map((importer) => [
            `src/vt/${importer}.ts`,
            `${names.map((name) => `import './${name}.ts';\n`).join('')}${longFunction('g', 3)}`,
          ]),
        ]),
      );
    const problemsOf = async (length: number, ...importers: readonly string[]) =>
      (await measureSizes(treeOf(length, importers), [])).problems;
    expect((await problemsOf(40, 'one')).slice(0, 2)).toEqual([
      `${atMost + 1} files of at most 40 lines have one importer, at most ${atMost}:`,
      '  40 src/vt/s0.ts (src/vt/one.ts)',
    ]);
    expect(await problemsOf(41, 'one')).toEqual([]);
    expect(await problemsOf(40, 'one', 'two')).toEqual([]);
  });

  it('fails on an empty tree', async () => {
    expect((await sizes.run(tree())).problems).toEqual(
      expect.arrayContaining(['saw no file', 'saw no function']),
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
    const found = functionsOf(parseSource(root, 'a.ts'));
    expect(found.map(({ name, line, lines }) => `${line} ${name} ${lines}`).sort()).toEqual(
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
