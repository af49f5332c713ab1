import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bindingPackage, makeExecutable } from './node-pty-binding.ts';

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
