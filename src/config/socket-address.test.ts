import { describe, expect, it } from 'vitest';
import { resolveSocket } from './socket-address.ts';

describe('resolveSocket', () => {
  it.each(['ssh://gpu1', 'unix:///run/x.sock', 'exec:ssh gpu1 vtr', './a://b'])(
    'refuses the address %s',
    (address) => {
      expect(() => resolveSocket(address, '/')).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          message: `unsupported address ${address}; give the path of a Unix socket`,
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
