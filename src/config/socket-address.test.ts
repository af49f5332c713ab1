import { describe, expect, it } from 'vitest';
import { nameOfPlace, resolvePlace, resolveSocket } from './socket-address.ts';

describe('resolveSocket', () => {
  it.each(['ssh://gpu1', 'unix:///run/x.sock', 'exec:ssh gpu1 vtr', './a://b'])(
    'refuses the address %s',
    (address) => {
      expect(() => resolveSocket(address, '/')).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          message: `an address cannot be used here: ${address}; give the path of a Unix socket`,
        }),
      );
    },
  );

  it('refuses an empty path', () => {
    expect(() => resolveSocket('', '/')).toThrow('the path is empty');
  });

  it.each([
    ['a.sock', '/d/a.sock'],
    ['/x/y.sock', '/x/y.sock'],
    ['./exec:a', '/d/exec:a'],
    ['host:22', '/d/host:22'],
  ])('resolves the path %s', (path, expected) => {
    expect(resolveSocket(path, '/d')).toBe(expected);
  });
});

it('a place is a path or an address, which have names', () => {
  expect(resolvePlace('ssh://me@gpu1:22/', '/d')).toBe('ssh://me@gpu1:22');
  expect(resolvePlace('a.sock', '/d')).toBe('/d/a.sock');
  expect(nameOfPlace('ssh://me@gpu1')).toBe('gpu1');
  expect(nameOfPlace('/d/ci.sock')).toBe('ci');
  expect(() => resolvePlace('ssh://-x')).toThrow('begins with -');
});
