import type { Random } from './random.ts';

const levels = ['DEBUG', 'INFO ', 'INFO ', 'INFO ', 'WARN ', 'ERROR'];
const parts = ['http', 'db.pool', 'scheduler', 'auth', 'cache', 'worker', 'billing.export'];
const verbs = ['accepted', 'finished', 'retried', 'dropped', 'queued', 'evicted', 'resolved'];
const things = ['request', 'job', 'connection', 'session', 'token', 'snapshot', 'batch of rows'];
const paths = ['/api/v2/items', '/health', '/login', '/static/app.js', '/api/v2/orders/export'];

/** A log line in pieces, which a logger prints in different colours. */
export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly part: string;
  readonly message: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

export function logLine(random: Random): LogLine {
  const clock = [random.integer(0, 23), random.integer(0, 59), random.integer(0, 59)];
  const time = `2026-03-14T${clock.map(twoDigits).join(':')}.${random.integer(100, 999)}Z`;
  const all = [
    ['path', random.pick(paths)],
    ['status', String(random.pick([200, 200, 200, 201, 304, 404, 500]))],
    ['ms', String(random.integer(1, 2500))],
    ['bytes', String(random.integer(40, 900_000))],
    ['id', random.integer(0, 0xffffff).toString(16)],
  ] as const;
  return {
    time,
    level: random.pick(levels),
    part: random.pick(parts),
    message: `${random.pick(things)} ${random.pick(verbs)}`,
    fields: all.slice(0, random.integer(1, all.length)),
  };
}
