import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bindingPackage, loadBinding, makeExecutable, toExitStatus } from './native-binding.ts';

it.each([
  ['win32', 'x64', /WSL/],
  ['win32', 'arm64', /WSL/],
  ['linux', 'ppc64', /linux-ppc64/],
  ['freebsd', 'x64', /freebsd-x64/],
])('[S1.27] refuses %s %s with an explanation', (platform, arch, words) => {
  expect(() => bindingPackage(platform, arch)).toThrowError(
    expect.objectContaining({ code: 'SPAWN_FAILED', message: expect.stringMatching(words) }),
  );
});

it('finds the binding of this platform', () => {
  const { native } = loadBinding();
  expect(native).toMatchObject({ fork: expect.any(Function), resize: expect.any(Function) });
});

it('makes a helper executable', () => {
  const directory = mkdtempSync(join(tmpdir(), 'vtr-helper-'));
  const helper = join(directory, 'spawn-helper');
  writeFileSync(helper, '');
  chmodSync(helper, 0o644);
  makeExecutable(helper);
  accessSync(helper, constants.X_OK);
  rmSync(directory, { recursive: true });
});

it('gives a hint if the helper cannot be made executable', () => {
  expect(() => makeExecutable('/no/such/spawn-helper')).toThrowError(
    expect.objectContaining({ code: 'SPAWN_FAILED', message: expect.stringMatching(/chmod \+x/) }),
  );
});

describe('toExitStatus', () => {
  it.each([
    { code: 0, signal: 0, status: { code: 0, signal: null } },
    { code: 255, signal: 0, status: { code: 255, signal: null } },
    { code: 0, signal: 1, status: { code: null, signal: 'SIGHUP' } },
    { code: 0, signal: 6, status: { code: null, signal: 'SIGABRT' } },
    { code: 0, signal: 9, status: { code: null, signal: 'SIGKILL' } },
    { code: 0, signal: 15, status: { code: null, signal: 'SIGTERM' } },
    { code: 0, signal: 34, status: { code: null, signal: 'SIGRTMIN+0' } },
    { code: 0, signal: 64, status: { code: null, signal: 'SIGRTMIN+30' } },
    { code: 0, signal: 99, status: { code: null, signal: 'SIG99' } },
  ])('code $code, signal $signal', ({ code, signal, status }) => {
    expect(toExitStatus(code, signal)).toEqual(status);
  });
});
