import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { provided } from '../../test/support/run/needs.ts';
import { openFilesLimit } from './open-files.ts';

const isKnown = openFilesLimit() !== null;

provided(isKnown, 'needs Linux, koffi and a limit of open files')(
  'the limit of open files is that of this process',
  () => {
    // A shell inherits the limit, and has it in its own words.
    const shown = execFileSync('sh', ['-c', 'ulimit -S -n'], { encoding: 'utf8' });
    expect(openFilesLimit()).toBe(Number(shown));
  },
);
