import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bindingPackage, loadBinding, makeExecutable } from './native-binding.ts';

it.each([
  ['win32', 'x64', /WSL/],
  ['win32', 'arm64', /WSL/],
  ['linux', 'ppc64', /linux-ppc64/],
  ['freebsd', 'x64', /freebsd-x64/],
])('[S1.27] refuses %s %s in words', (platform, arch, words) => {
  expect(() => bindingPackage(platform, arch)).toThrowError(
    expect.objectContaining({ code: 'SPAWN_FAILED', message: expect.stringMatching(words) }),
  );
});

it('finds the binding of this platform', () => {
  const { native } = loadBinding();
  expect(native).toMatchObject({ fork: expect.any(Function), resize: expect.any(Function) });
});

it('makes a helper executable that was unpacked without the permission', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vtr-helper-'));
  const helper = join(folder, 'spawn-helper');
  writeFileSync(helper, '');
  chmodSync(helper, 0o644);
  makeExecutable(helper);
  accessSync(helper, constants.X_OK);
  rmSync(folder, { recursive: true });
});

it('says what to do where the helper cannot be made executable', () => {
  expect(() => makeExecutable('/no/such/spawn-helper')).toThrowError(
    expect.objectContaining({ code: 'SPAWN_FAILED', message: expect.stringMatching(/chmod \+x/) }),
  );
});
