import type { Disposable } from './emitter.ts';

/**
 * The source of time; tests use a virtual one. Measure durations with {@link Clock.nowMs} only: the
 * wall clock may jump.
 */
export interface Clock {
  /**
   * Returns monotonic milliseconds from an arbitrary start, which is the same for all processes until
   * the machine is restarted.
   */
  nowMs(): number;
  /** Returns milliseconds since 1970-01-01 UTC. For timestamps, never for durations. */
  wallMs(): number;
  /** Calls `run` once, after at least `delayMs`. */
  schedule(delayMs: number, run: () => void): Disposable;
  /**
   * Calls `run` once, after the I/O that is ready now has been handled. Timers fire before pending
   * I/O, so a timer that detects silence must check again through this.
   */
  afterPendingIo(run: () => void): Disposable;
}

// Not in browsers, where nothing calls the function below; this room compiles without the types of Node.js.
declare const process: {
  hrtime(): readonly [number, number];
  readonly versions: Readonly<Record<string, string | undefined>>;
};

/** The clock of {@link machineMs}: that of Deno is another. */
export const machineClock = (): 'deno' | 'system' =>
  process.versions['deno'] === undefined ? 'system' : 'deno';

/** What is added to hrtime, in ms; null until it is first read. */
let originMs: number | null = null;

/**
 * Returns CLOCK_MONOTONIC in ms: the same for all processes since the machine was started. Time in which the machine is
 * suspended is not in it.
 *
 * Under Deno 2.9, hrtime counts from the start of each process. There, the time of day when it is first read stands in for
 * the origin, so that processes agree as long as the time of day is not set.
 */
export function machineMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  const ms = seconds * 1e3 + nanoseconds / 1e6;
  originMs ??= machineClock() === 'deno' ? Date.now() - ms : 0;
  return originMs + ms;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;
const whole = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;

/**
 * Parses a duration: `500ms`, `5s`, `1.5m`, `1h30m`.
 *
 * @returns milliseconds; null if the text is not a duration. A unit is required: a number alone
 * could mean seconds or milliseconds.
 */
export function parseDurationMs(text: string): number | null {
  if (!whole.test(text)) return null;
  let sumMs = 0;
  for (const [, amount, unit = ''] of text.matchAll(part)) {
    sumMs += Number(amount) * (unitMs[unit] ?? 0);
  }
  return sumMs;
}

/**
 * Formats a duration exactly, in whole milliseconds. {@link parseDurationMs} returns the same
 * value.
 */
export function exactDurationText(ms: number): string {
  let leftMs = Math.floor(ms);
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const amount = Math.floor(leftMs / (unitMs[unit] ?? 1));
    leftMs -= amount * (unitMs[unit] ?? 1);
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text || '0ms';
}

/** Formats a duration in its largest unit, rounded down: `2h`, `5m`, `38s`, `120ms`. */
export function durationText(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) {
    const amount = Math.floor(ms / (unitMs[unit] ?? 1));
    if (amount >= 1) return `${amount}${unit}`;
  }
  return `${Math.max(0, Math.floor(ms))}ms`;
}
