import { exactDurationText } from '#base';
import { type EndedBy, limitMechanism, type SessionLifetime, type SessionLimits } from '#model';

/** `removed when idle for 20m, ended after 24h`; empty where it lasts until it is removed. */
export function lifetimeText({ idleMs = 0, keepExitedMs, maxRunMs = 0 }: SessionLifetime): string {
  return [
    idleMs > 0 ? `removed when idle for ${exactDurationText(idleMs)}` : '',
    keepExitedMs === undefined ? '' : `kept for ${exactDurationText(keepExitedMs)} after its exit`,
    maxRunMs > 0 ? `ended when it has run for ${exactDurationText(maxRunMs)}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** `512 MiB of memory, 50 % of the processors`, and how that is kept. */
export function limitsText({ memoryBytes, cpuPercent }: SessionLimits): string {
  const limits = [
    memoryBytes === undefined ? '' : `${mebibytes(memoryBytes)} of memory`,
    cpuPercent === undefined ? '' : `${cpuPercent} % of the processors`,
  ].filter((part) => part !== '');
  return limits.length === 0 ? '' : `${limits.join(', ')}; ${limitMechanism}`;
}

/** Why vtr ended it. */
export function endedByText({ reason, limit = 0, measured = 0 }: EndedBy): string {
  switch (reason) {
    case 'idle':
      return `unused for ${exactDurationText(limit)}`;
    case 'run_time':
      return `ran for ${exactDurationText(limit)}`;
    case 'memory':
      return `took ${mebibytes(measured)} of memory, ${mebibytes(limit)} allowed`;
    case 'cpu':
      return `took ${Math.round(measured)} % of the processors, ${limit} % allowed`;
    case 'lease':
      return 'who started it has gone';
  }
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;
