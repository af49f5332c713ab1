import { userInfo } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
  it('needs no function that Node 21 to 22.2 do not have', () => {
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal('process', { ...process, getBuiltinModule: undefined });
    expect(homeOf({ env: {} })).toBe(userInfo().homedir);
  });

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
