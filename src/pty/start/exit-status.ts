import { constants as systemConstants } from 'node:os';
import type { ExitStatus } from '#model';

/** Linux: the first real-time signal that glibc leaves to programs, signal(7). */
const firstRealTime = 34;
const lastRealTime = 64;

const nameByNumber = new Map<number, string>();
for (const [name, number] of Object.entries(systemConstants.signals)) {
  // The first name wins: SIGABRT and SIGIO, before their aliases SIGIOT and SIGPOLL.
  if (!nameByNumber.has(number)) nameByNumber.set(number, name);
}

/** @param signal 0 after a normal exit */
export function toExitStatus(code: number, signal: number): ExitStatus {
  return signal === 0 ? { code, signal: null } : { code: null, signal: signalName(signal) };
}

function signalName(signal: number): string {
  const name = nameByNumber.get(signal);
  if (name !== undefined) return name;
  const realTime = signal >= firstRealTime && signal <= lastRealTime;
  return realTime ? `SIGRTMIN+${signal - firstRealTime}` : `SIG${signal}`;
}
