import { vi } from 'vitest';
import { createPtyHost } from '#pty';
import { ptyHostContract } from './pty-host.ts';

const realNow = performance.now.bind(performance);

ptyHostContract('createPtyHost', () => {
  let offsetMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + offsetMs);
  return {
    host: createPtyHost(),
    ownerPid: process.pid,
    next: null,
    shiftClock(ms) {
      offsetMs += ms;
    },
    dispose() {
      vi.restoreAllMocks();
    },
  };
});
