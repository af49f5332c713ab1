import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { Bundles } from './bundles.ts';
import { CodeCache } from './code-cache.ts';

const files = {
  'vtr-a.cjs': `
    const { count } = require('./vtr-b.cjs');
    const { basename } = require('node:path');
    exports.names = [basename(__filename), basename(__dirname)];
    exports.counts = () => [count(), require('./vtr-b.cjs').count()];
  `,
  'vtr-b.cjs': 'let n = 0; module.exports = { count: () => ++n }; // the last line',
  'vtr-throws.cjs': 'throw new Error("no")',
};

interface A {
  readonly names: readonly string[];
  readonly counts: () => readonly number[];
}

let directory: string;
let cache: CodeCache | null;
const exitListeners = process.listenerCount('exit');

const bundles = () => new Bundles(join(directory, 'dist'), createRequire(import.meta.url), cache);

beforeEach(() => {
  vi.useFakeTimers();
  directory = tree(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`dist/${name}`, text])),
  );
  cache = CodeCache.open({ env: { HOME: directory } });
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  expect(process.listenerCount('exit')).toBe(exitListeners);
});

it('bundles are CommonJS modules, loaded once, that load each other and modules of Node', () => {
  const { names, counts } = bundles().load('vtr-a.cjs') as A;
  expect(names).toEqual(['vtr-a.cjs', 'dist']);
  expect(counts()).toEqual([1, 2]);
  expect(bundles().load('vtr-a.cjs')).not.toBe(bundles().load('vtr-a.cjs'));
});

it('a bundle that throws is loaded again by the next call', () => {
  const loader = bundles();
  expect(() => loader.load('vtr-throws.cjs')).toThrow('no');
  expect(() => loader.load('vtr-throws.cjs')).toThrow('no');
  expect(() => loader.load('vtr-missing.cjs')).toThrow('ENOENT');
});

describe('compiled code', () => {
  const writes = () => vi.spyOn(CodeCache.prototype, 'write');
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is saved once, when the process has run for some time', () => {
    const write = writes();
    bundles().load('vtr-a.cjs');
    expect(write).not.toHaveBeenCalled();
    vi.runAllTimers();
    expect(write.mock.calls.map(([name]) => name).sort()).toEqual(['vtr-a.cjs', 'vtr-b.cjs']);
    bundles().load('vtr-a.cjs');
    vi.runAllTimers();
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('is saved before flags of V8 are set, and then goes to a cache of its own', () => {
    const write = writes();
    const loader = bundles();
    loader.load('vtr-b.cjs');
    const flagged = CodeCache.open({ env: { HOME: directory }, execArgv: ['--flag'] });
    loader.change(() => expect(write).toHaveBeenCalledTimes(1), flagged);
    loader.load('vtr-a.cjs');
    vi.runAllTimers();
    expect(write).toHaveBeenCalledTimes(2);
    expect(write.mock.contexts).toEqual([cache, flagged]);
  });

  it('is not saved without a cache', () => {
    const write = writes();
    cache = null;
    expect((bundles().load('vtr-a.cjs') as A).counts()).toEqual([1, 2]);
    vi.runAllTimers();
    expect(write).not.toHaveBeenCalled();
  });
});
