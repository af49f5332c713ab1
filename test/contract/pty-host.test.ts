import { vi } from 'vitest';
import { createPtyHost } from '#pty';
import { startTestPtyHost, type Transport } from '../support/pty/hosted-pty-host.ts';
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
    dispose() {},
  };
});

const hosted = (transport: Transport) => async () => {
  vi.spyOn(performance, 'now').mockImplementation(realNow);
  const { pid, ...started } = await startTestPtyHost(transport);
  return { ...started, ownerPid: pid };
};

ptyHostContract('a host in a process of its own', hosted('direct'));
ptyHostContract('a host behind a proxy that splits, stalls and drips', hosted('mangled'));
