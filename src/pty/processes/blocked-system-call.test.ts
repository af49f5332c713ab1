import { expect, it } from 'vitest';
import { parseBlockedSystemCall } from './blocked-system-call.ts';

const stack = '0x7ffc9da9c6e8';
const counter = '0x7f6eb1920503';

const line = (number: number, ...args: number[]) =>
  [
    number,
    ...Array.from({ length: 6 }, (_, index) => `0x${(args[index] ?? 0).toString(16)}`),
    stack,
    counter,
  ].join(' ');

it.each([
  ['x64', 'read', line(0, 0), { of: 'read', fd: 0 }],
  ['arm64', 'read', line(63, 11), { of: 'read', fd: 11 }],
  ['x64', 'readv', line(19, 4), { of: 'read', fd: 4 }],
  [
    'x64',
    'poll',
    line(7, 0x7ffd_00fb_0fe0, 3),
    { of: 'poll', address: 0x7ffd_00fb_0fe0, count: 3, timesOut: true },
  ],
  [
    'x64',
    'an endless poll',
    line(7, 4096, 1, 0xffff_ffff),
    { of: 'poll', address: 4096, count: 1, timesOut: false },
  ],
  [
    'arm64',
    'an endless ppoll',
    line(73, 4096, 1),
    { of: 'poll', address: 4096, count: 1, timesOut: false },
  ],
  [
    'x64',
    'ppoll',
    line(271, 4096, 1, 8192),
    { of: 'poll', address: 4096, count: 1, timesOut: true },
  ],
  [
    'x64',
    'pselect6',
    line(270, 1, 4096, 0, 8192, 16384),
    { of: 'select', addresses: [4096, 0, 8192], count: 1, timesOut: true },
  ],
  [
    'x64',
    'an endless pselect6',
    line(270, 1, 4096),
    { of: 'select', addresses: [4096, 0, 0], count: 1, timesOut: false },
  ],
  ['x64', 'epoll_pwait', line(281, 14), { of: 'epoll', fd: 14 }],
  ['arm64', 'epoll_pwait', line(22, 14), { of: 'epoll', fd: 14 }],
  ['x64', 'a poll that is restarted after a stop', line(219), { of: 'unknown' }],
  ['x64', 'io_uring_enter', line(426, 3), { of: 'unknown' }],
  ['x64', 'a poll of too many fds', line(7, 4096, 2 ** 31), { of: 'unknown' }],
  ['x64', 'clock_nanosleep', line(230), { of: 'other' }],
  ['x64', 'wait4', line(61), { of: 'other' }],
  ['x64', 'a running thread', 'running', { of: 'other' }],
  ['x64', 'a page fault', `-1 ${stack} ${counter}`, { of: 'other' }],
  ['x64', 'a 32-bit program', line(0).replace(stack, '0xffffd1c0'), { of: 'unknown' }],
  ['riscv64', 'an unsupported architecture', line(63), { of: 'unknown' }],
])('on %s recognises %s', (arch, _, text, call) => {
  expect(parseBlockedSystemCall(`${text}\n`, arch)).toEqual(call);
});
