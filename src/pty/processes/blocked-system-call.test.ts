import { describe, expect, it } from 'vitest';
import {
  fdsOfEpoll,
  fdsOfPoll,
  fdsOfSelect,
  parseBlockedSystemCall,
  pollBytes,
  selectBytes,
} from './blocked-system-call.ts';

describe('blocked system call', () => {
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
});

describe('fdsOfPoll', () => {
  const structures = (...entries: [fd: number, events: number][]) => {
    const bytes = Buffer.alloc(pollBytes(entries.length));
    for (const [index, [fd, events]] of entries.entries()) {
      bytes.writeInt32LE(fd, index * 8);
      bytes.writeUInt16LE(events, index * 8 + 4);
      // revents of the last call, which are ignored.
      bytes.writeUInt16LE(0x11, index * 8 + 6);
    }
    return bytes;
  };

  it('returns the fds, and which of them are waited for to be readable', () => {
    // POLLIN, POLLOUT, POLLRDNORM, POLLIN with POLLPRI, only errors.
    const bytes = structures([0, 0x001], [5, 0x004], [300, 0x040], [6, 0x003], [7, 0]);
    expect(fdsOfPoll(bytes)).toEqual([
      { fd: 0, input: true },
      { fd: 5, input: false },
      { fd: 300, input: true },
      { fd: 6, input: true },
      { fd: 7, input: false },
    ]);
  });

  it('ignores negative fds', () => {
    expect(fdsOfPoll(structures([-1, 1], [-4, 1], [3, 1]))).toEqual([{ fd: 3, input: true }]);
  });
});

describe('fdsOfSelect', () => {
  const set = (...fds: number[]) => {
    const bytes = Buffer.alloc(selectBytes(128));
    for (const fd of fds) bytes[fd >> 3] = (bytes[fd >> 3] ?? 0) | (1 << (fd & 7));
    return bytes;
  };

  it('returns the fds, and which of them are waited for to be readable', () => {
    expect(fdsOfSelect([set(0, 65), set(65, 9), set(17)], 128)).toEqual([
      { fd: 0, input: true },
      { fd: 9, input: false },
      { fd: 17, input: false },
      { fd: 65, input: true },
    ]);
  });

  it('stops at nfds', () => {
    expect(fdsOfSelect([set(0, 1)], 1)).toEqual([{ fd: 0, input: true }]);
    expect(fdsOfSelect([set(0)], 0)).toEqual([]);
  });

  it.each([
    [0, 0],
    [1, 8],
    [64, 8],
    [65, 16],
  ])('has sets of %i fds in %i bytes', (count, bytes) => {
    expect(selectBytes(count)).toBe(bytes);
  });
});

describe('fdsOfEpoll', () => {
  it('reads a line for each fd', () => {
    const fdinfo = [
      'pos:\t0',
      'flags:\t02000002',
      'tfd:       18 events:       19 data:               12  pos:0 ino:4 sdev:1a',
      'tfd:        5 events: 80000004 data:                5  pos:0 ino:23f95b sdev:f',
      'tfd:        6 events:        0 data:                6  pos:0 ino:409 sdev:10',
      '',
    ].join('\n');
    expect(fdsOfEpoll(fdinfo)).toEqual([
      { fd: 18, input: true },
      { fd: 5, input: false },
      { fd: 6, input: false },
    ]);
  });
});
