import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';
import { CodeCache } from './code-cache.ts';

const name = 'vtr-part.cjs';
const code = Buffer.from('compiled');

let home: string;
let bundle: string;
let cache: CodeCache;

beforeEach(() => {
  home = tree({ 'dist/part.cjs': '"a"' });
  bundle = join(home, 'dist/part.cjs');
  cache = CodeCache.open({ env: { HOME: home } }) as CodeCache;
});

const state = (): Stats => statSync(bundle);
const directory = () => join(home, '.cache/vtr', `${process.version}-${process.arch}`);
const files = () => readdirSync(directory());
const read = () => cache.read(name, state())?.toString() ?? null;
const only = () => join(directory(), files()[0] ?? '');

it('returns what was written, from the directory for caches', () => {
  expect(read()).toBeNull();
  cache.write(name, state(), code);
  expect(read()).toBe('compiled');
  expect(cache.read('vtr-other.cjs', state())).toBeNull();
  expect(statSync(directory()).mode & 0o777).toBe(0o700);
  expect(statSync(only()).mode & 0o777).toBe(0o600);
  const elsewhere = CodeCache.open({ env: { HOME: '/', XDG_CACHE_HOME: join(home, '.cache') } });
  expect(elsewhere?.read(name, state())?.toString()).toBe('compiled');
});

it('keeps the code of each set of flags, which V8 compares', () => {
  const withFlags = (...execArgv: readonly string[]) =>
    CodeCache.open({ env: { HOME: home }, execArgv });
  const caches = [[], ['--max-semi-space-size=4'], ['--no-opt']].map((flags) =>
    withFlags(...flags),
  );
  caches.forEach((each, index) => {
    each?.write(name, state(), Buffer.from(`code ${index}`));
  });
  expect(caches.map((each) => each?.read(name, state())?.toString())).toEqual([
    'code 0',
    'code 1',
    'code 2',
  ]);
  expect(withFlags('--max-semi-space-size=16')?.read(name, state())).toBeNull();
});

describe('code of another state of the bundle is not returned', () => {
  it.each([
    ['changed in place, with its time set back', () => writeFileSync(bundle, '"b"')],
    [
      'replaced by a file of the same size and time',
      () => {
        writeFileSync(`${bundle}.new`, '"b"');
        renameSync(`${bundle}.new`, bundle);
      },
    ],
  ])('%s', (_title, change) => {
    utimesSync(bundle, 1, 1);
    cache.write(name, state(), code);
    change();
    utimesSync(bundle, 1, 1);
    expect(state().mtimeMs).toBe(1_000);
    expect(read()).toBeNull();
  });
});

describe('code that others could have written is not returned', () => {
  const moved = () => join(home, 'elsewhere');

  it.each([
    ['the file is writable for its group', () => chmodSync(only(), 0o620)],
    ['the file is writable for all', () => chmodSync(only(), 0o602)],
    ['the directory is writable for all', () => chmodSync(directory(), 0o777)],
    [
      'the file is a symbolic link',
      () => {
        const link = only();
        renameSync(link, moved());
        symlinkSync(moved(), link);
      },
    ],
    [
      'the directory is a symbolic link',
      () => {
        renameSync(directory(), moved());
        symlinkSync(moved(), directory());
      },
    ],
  ])('%s', (_title, change) => {
    cache.write(name, state(), code);
    change();
    expect(read()).toBeNull();
  });

  const asRoot = provided(process.getuid?.() === 0, 'only as root: gives files away');
  asRoot('the file or its directory has another owner', () => {
    cache.write(name, state(), code);
    chownSync(only(), 1, 1);
    expect(read()).toBeNull();
    chownSync(only(), 0, 0);
    expect(read()).toBe('compiled');
    chownSync(directory(), 1, 1);
    expect(read()).toBeNull();
    cache.write('vtr-other.cjs', state(), code);
    expect(files()).toHaveLength(1);
  });
});

describe('a cache that cannot be used is the same as an empty one', () => {
  it('a file is in the place of its directory', () => {
    writeFileSync(join(home, '.cache'), '');
    cache.write(name, state(), code);
    expect(read()).toBeNull();
  });

  it('the user wants none', () => {
    expect(CodeCache.open({ env: { HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' } })).toBeNull();
  });

  it('a write that fails leaves no file', () => {
    cache.write(name, state(), code);
    const path = only();
    rmSync(path);
    mkdirSync(path);
    cache.write(name, state(), code);
    expect(files()).toHaveLength(1);
    expect(read()).toBeNull();
  });
});

it('removes files that were written a month ago', () => {
  cache.write(name, state(), code);
  const old = join(directory(), 'old');
  const young = join(directory(), 'young');
  for (const [path, days] of [
    [old, 31],
    [young, 29],
  ] as const) {
    writeFileSync(path, '');
    const seconds = Date.now() / 1000 - days * 86_400;
    utimesSync(path, seconds, seconds);
  }
  cache.write(name, state(), code);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  expect(read()).toBe('compiled');
});
