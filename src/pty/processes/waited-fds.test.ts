import { describe, expect, it } from 'vitest';
import { fdsOfEpoll, fdsOfPoll, fdsOfSelect, pollBytes, selectBytes } from './waited-fds.ts';

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
