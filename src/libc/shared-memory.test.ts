import { readdirSync, readFileSync, readlinkSync, truncateSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { sharedMemory } from './shared-memory.ts';

describe('shared memory', () => {
  const onLinux = provided(process.platform === 'linux', 'only on Linux');

  onLinux('is a file of this process that others can read, and nobody can shorten', () => {
    const memory = sharedMemory('vtr-test', 100);
    if (memory === null) throw new Error('koffi is missing');
    const paths = readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`);
    const [path = ''] = paths.filter((each) => linkOf(each) === '/memfd:vtr-test (deleted)');
    memory[99] = 7;
    expect(readFileSync(path)).toEqual(Buffer.from(memory));
    expect(() => truncateSync(path, 0)).toThrow('EPERM');
    expect(sharedMemory('with\0end', 0)).toBeNull();
  });
});

/** The descriptor of the listing itself is gone. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
