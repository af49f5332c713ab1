import { vi } from 'vitest';
import type { PtyHost } from '#pty';
import type { PtyHostUnderTest } from '../../contract/pty-host.ts';

const realNow = performance.now.bind(performance);

/** A host of this process, whose clock can be moved. */
export function inProcessHost(host: PtyHost): PtyHostUnderTest {
  let offsetMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + offsetMs);
  return {
    host,
    ownerPid: process.pid,
    next: null,
    shiftClock(ms) {
      offsetMs += ms;
    },
    async dispose() {
      await host.close({ force: true });
      vi.restoreAllMocks();
    },
  };
}
