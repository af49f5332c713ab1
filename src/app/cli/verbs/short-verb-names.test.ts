import { expect, it } from 'vitest';
import { nodeArgs } from '../../client/start-daemon.ts';
import { flagsOfServe } from './short-verb-names.ts';

it.each<[string, readonly string[]]>([
  ['serve', []],
  ['serve --socket /s', ['--no-opt']],
])('vtr %s in the foreground has the flags of V8 that can still be set', (words, execArgv) => {
  const [flag = ''] = flagsOfServe(words.split(' '), execArgv);
  expect(nodeArgs).toContain(flag);
});

it.each<[string, readonly string[]]>([
  ['serve --socket /s', nodeArgs],
  ['serve --daemon', []],
  ['serve --stop', []],
  ['serve --status', []],
  ['serve --help', []],
  ['ls', []],
  ['', []],
])('vtr %s sets none', (words, execArgv) => {
  expect(flagsOfServe(words.split(' '), execArgv)).toEqual([]);
});
