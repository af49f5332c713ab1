export type { Clock } from './clock.ts';
export { type Disposable, toDisposable } from './disposable.ts';
export { durationText, exactDurationText, parseDurationMs } from './duration.ts';
export { Emitter, type Listener } from './emitter.ts';
export { type Log, type LogLevel, logLevels, logUpTo } from './log.ts';
export { nearMisses } from './near-misses.ts';
export { Queue } from './queue.ts';
export { type PlainText, sanitize } from './sanitize.ts';
export { decodeUtf8, encodeUtf8 } from './utf8.ts';
