import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { bindingPackage, MasterFds, makeExecutable } from './node-pty-binding.ts';

describe('node pty binding', () => {
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
      expect.objectContaining({
        code: 'SPAWN_FAILED',
        message: expect.stringMatching(/chmod \+x/),
      }),
    );
  });
});

const onLinux = process.platform === 'linux';
const onlyLinux = provided(onLinux, 'only on Linux: elsewhere the child does not walk by number');

const countOpen = () => readdirSync('/proc/self/fd').length;

function isOpen(number: number): boolean {
  try {
    fstatSync(number);
    return true;
  } catch {
    return false;
  }
}

onlyLinux('fills gaps below the highest master until it is closed', () => {
  const before = countOpen();
  const opened = Array.from({ length: 30 }, () => openSync('/dev/null', 'r')).sort((a, b) => a - b);
  const gaps = opened.slice(5, 20);
  const [middle = -1, highest = -1] = [opened.at(-5), opened.at(-1)];
  const numbers = new MasterFds();
  numbers.add(middle);
  numbers.add(highest);
  for (const gap of gaps) closeSync(gap);
  expect(gaps.some(isOpen)).toBe(false);

  numbers.closeGaps();
  expect(gaps.every(isOpen)).toBe(true);
  const next = openSync('/dev/null', 'r');
  expect(next).toBeGreaterThan(highest);
  closeSync(next);

  closeSync(highest);
  numbers.delete(highest);
  expect(gaps.every(isOpen)).toBe(true);
  closeSync(middle);
  numbers.delete(middle);
  for (const each of opened.filter((number) => !gaps.includes(number))) {
    if (each !== middle && each !== highest) closeSync(each);
  }
  expect(countOpen()).toBe(before);
});
