import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { provided } from '../../../test/support/run/needs.ts';
import { MasterFds } from './master-fds.ts';

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
