import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { expandHome, homeOf } from './user-environment.ts';

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

describe('homeOf', () => {
  it('is absolute also if HOME is not, or is missing', () => {
    const { homedir } = userInfo();
    const before = process.env['HOME'];
    process.env['HOME'] = 'rel';
    try {
      expect([{ HOME: 'rel' }, { HOME: '' }, {}].map((env) => homeOf({ env }))).toEqual([
        homedir,
        homedir,
        homedir,
      ]);
    } finally {
      if (before === undefined) delete process.env['HOME'];
      else process.env['HOME'] = before;
    }
  });
});
