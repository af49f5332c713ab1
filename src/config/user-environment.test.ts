import { describe, expect, it } from 'vitest';
import { expandHome } from './user-environment.ts';

describe('expandHome', () => {
  it('expands ~ and ~/ at the beginning only, as shells do', () => {
    const user = { env: { HOME: '/home/me' } };
    expect(['~', '~/a', '~you/a', '/~/a'].map((path) => expandHome(path, user))).toEqual([
      '/home/me',
      '/home/me/a',
      '~you/a',
      '/~/a',
    ]);
  });
});
