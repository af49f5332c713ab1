import { expect, it } from 'vitest';
import { flow } from '#model';
import { flagsOfVerb, lateFlagsOfVerb } from './short-verb-names.ts';

const v8 = '11.3.244.8-node.33';
const heap = `--heap-growing-percent=${flow.heap.growingPercent}`;
const early = '--interrupt-budget=20000';
const late = '--interrupt-budget=5000';

it.each<[string, readonly string[], readonly string[]]>([
  ['serve', [], [heap, early]],
  ['serve --socket /s', ['--no-opt'], [heap, early]],
  ['serve --socket /s', ['--max-semi-space-size=4', heap], [early]],
  ['serve --socket /s', ['--max-semi-space-size=4', heap, early], []],
  ['serve --daemon', [], []],
  ['serve --stop', [], []],
  ['serve --status', [], []],
  ['serve --help', [], []],
  ['attach s', [], []],
  ['ls', [], []],
  ['', [], []],
])('vtr %s with %j sets %j', (words, execArgv, flags) => {
  expect(flagsOfVerb(words.split(' '), execArgv, v8)).toEqual(flags);
});

it('V8 of Node 22 gets no flag that it does not know', () => {
  expect(flagsOfVerb(['serve'], [], '12.4.254.21-node.33')).toEqual([heap]);
  expect(lateFlagsOfVerb(['attach'], '12.4.254.21-node.33')).toEqual([]);
});

it.each([
  ['attach s', [late]],
  ['new', [late]],
  ['ui', [late]],
  ['mcp', [late]],
  ['serve', [late]],
  ['serve --socket /s', [late]],
  ['serve --daemon', []],
  ['ls', []],
  ['', []],
])('vtr %s sets %j when it has started', (words, flags) => {
  expect(lateFlagsOfVerb(words.split(' '), v8)).toEqual(flags);
});
