import { expect, it } from 'vitest';
import { signalStatus } from './stop-signals.ts';

it.each([
  ['SIGHUP', 129],
  ['SIGKILL', 137],
  ['SIG32', 160],
  ['SIGRTMIN+0', 162],
  ['SIGRTMIN+30', 192],
])('the exit status of %s is %d, as in shells', (signal, status) => {
  expect(signalStatus(signal)).toBe(status);
});
