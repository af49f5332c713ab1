import { describe, expect, it } from 'vitest';
import {
  bytesOfPoll,
  bytesOfSelect,
  filesOfEpoll,
  filesOfPoll,
  filesOfSelect,
} from './waited-fds.ts';

describe('filesOfPoll', () => {
  const structures = (...entries: [file: number, events: number][]) => {
    const bytes = Buffer.alloc(bytesOfPoll(entries.length));
    for (const [index, [file, events]] of entries.entries()) {
      bytes.writeInt32LE(file, index * 8);
      bytes.writeUInt16LE(events, index * 8 + 4);
      // What came of it the last time: no matter.
      bytes.writeUInt16LE(0x11, index * 8 + 6);
    }
    return bytes;
  };

  it('tells who is waited for, and who for input', () => {
    // POLLIN, POLLOUT, POLLRDNORM, POLLIN with POLLPRI, nothing but errors.
    const bytes = structures([0, 0x001], [5, 0x004], [300, 0x040], [6, 0x003], [7, 0]);
    expect(filesOfPoll(bytes)).toEqual([
      { file: 0, input: true },
      { file: 5, input: false },
      { file: 300, input: true },
      { file: 6, input: true },
      { file: 7, input: false },
    ]);
  });

  it('passes over what the program does', () => {
    expect(filesOfPoll(structures([-1, 1], [-4, 1], [3, 1]))).toEqual([{ file: 3, input: true }]);
  });
});

describe('filesOfSelect', () => {
  const set = (...files: number[]) => {
    const bytes = Buffer.alloc(bytesOfSelect(128));
    for (const file of files) bytes[file >> 3] = (bytes[file >> 3] ?? 0) | (1 << (file & 7));
    return bytes;
  };

  it('tells who is waited for, and who for input', () => {
    expect(filesOfSelect([set(0, 65), set(65, 9), set(17)], 128)).toEqual([
      { file: 0, input: true },
      { file: 9, input: false },
      { file: 17, input: false },
      { file: 65, input: true },
    ]);
  });

  it('looks no further than the program lets the kernel look', () => {
    expect(filesOfSelect([set(0, 1)], 1)).toEqual([{ file: 0, input: true }]);
    expect(filesOfSelect([set(0)], 0)).toEqual([]);
  });

  it.each([
    [0, 0],
    [1, 8],
    [64, 8],
    [65, 16],
  ])('of %i files takes %i bytes, as the kernel does', (count, bytes) => {
    expect(bytesOfSelect(count)).toBe(bytes);
  });
});

describe('filesOfEpoll', () => {
  it('reads a line for each file', () => {
    const fdinfo = [
      'pos:\t0',
      'flags:\t02000002',
      'tfd:       18 events:       19 data:               12  pos:0 ino:4 sdev:1a',
      'tfd:        5 events: 80000004 data:                5  pos:0 ino:23f95b sdev:f',
      'tfd:        6 events:        0 data:                6  pos:0 ino:409 sdev:10',
      '',
    ].join('\n');
    expect(filesOfEpoll(fdinfo)).toEqual([
      { file: 18, input: true },
      { file: 5, input: false },
      { file: 6, input: false },
    ]);
  });
});
