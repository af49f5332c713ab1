import { exactDurationText } from '#base';
import {
  type EndedBy,
  limitMechanism,
  type PausedOutput,
  type Persistence,
  type SessionLifetime,
  type SessionLimits,
} from '#model';
import { isoTime } from './printing.ts';

/** Returns `removed when unused for 20m, kept for 1h after its exit`; empty if nothing limits it. */
export function lifetimeText({
  idleMs = 0,
  keepExitedMs,
  maxRunMs = 0,
  unattendedMs = 0,
}: SessionLifetime): string {
  return [
    idleMs > 0 ? `removed when unused for ${exactDurationText(idleMs)}` : '',
    keepExitedMs === undefined ? '' : `kept for ${exactDurationText(keepExitedMs)} after its exit`,
    unattendedMs > 0 ? `removed when unattended for ${exactDurationText(unattendedMs)}` : '',
    maxRunMs > 0 ? `ended after running for ${exactDurationText(maxRunMs)}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Returns `512 MiB of memory, 50% of all processors`, and how the limits are enforced. */
export function limitsText({ memoryBytes, cpuPercent }: SessionLimits): string {
  const limits = [
    memoryBytes === undefined ? '' : `${mebibytes(memoryBytes)} of memory`,
    cpuPercent === undefined ? '' : `${cpuPercent}% of all processors`,
  ].filter((part) => part !== '');
  return limits.length === 0 ? '' : `${limits.join(', ')}; ${limitMechanism}`;
}

/** Returns why vtr ended the program. */
export function endedByText({ reason, limit = 0, measured = 0 }: EndedBy): string {
  switch (reason) {
    case 'idle':
      return `unused for ${exactDurationText(limit)}`;
    case 'run_time':
      return `ran for ${exactDurationText(limit)}`;
    case 'memory':
      return `used ${mebibytes(measured)} of memory, over the limit of ${mebibytes(limit)}`;
    case 'cpu':
      return `used ${Math.round(measured)}% of all processors, over the limit of ${limit}%`;
    case 'lease':
      return 'its owner disconnected';
    case 'host_lost':
      return 'the process that owned its terminal ended';
    case 'stopped':
      return 'vtr was stopped';
    case 'reboot':
      return 'the machine was restarted';
  }
}

/** Returns where a session is saved, or why it is not. */
export function savedText({ state, reason }: Persistence): string {
  switch (state) {
    case 'disk':
      return 'on disk';
    case 'memory':
      return 'in the PTY host; lost when that ends';
    case 'stopped':
      return reason === undefined ? 'not saved' : `not saved: ${reason}`;
  }
}

/** Returns when and why the output of a program was not read. */
export const pausedText = ({ sinceMs, bytes }: PausedOutput): string =>
  `${isoTime(sinceMs)}: ${bytes} bytes of output were unread, so reading stopped`;

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;
