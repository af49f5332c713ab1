import { expect, it } from 'vitest';
import { flow } from '#model';
import { flagsOfServe } from './short-verb-names.ts';

const flag = `--heap-growing-percent=${flow.heap.growingPercent}`;

it.each<[string, readonly string[]]>([
  ['serve', []],
  ['serve --socket /s', ['--no-opt']],
])('vtr %s in the foreground has the flags of V8 that can still be set', (words, execArgv) => {
  expect(flagsOfServe(words.split(' '), execArgv)).toEqual([flag]);
});

it.each<[string, readonly string[]]>([
  ['serve --socket /s', ['--max-semi-space-size=4', flag]],
  ['serve --daemon', []],
  ['serve --stop', []],
  ['serve --status', []],
  ['serve --help', []],
  ['ls', []],
  ['', []],
])('vtr %s sets none', (words, execArgv) => {
  expect(flagsOfServe(words.split(' '), execArgv)).toEqual([]);
});
