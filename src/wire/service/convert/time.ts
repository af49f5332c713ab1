import { clampWaitMs } from '#model';
import { field } from './field.ts';

/** A google.protobuf.Duration or Timestamp. */
export interface Seconds {
  readonly seconds: bigint;
  /** 0 to 999,999,999. */
  readonly nanos: number;
}

/** @param ms clamped to 0 to a day, as timeouts are */
export const toDuration = (ms: number): Seconds => toLongDuration(clampWaitMs(ms, 0));

/** @param ms 0 or more, without an upper bound */
export function toLongDuration(ms: number): Seconds {
  const seconds = Math.floor(ms / 1000);
  // Rounded up, so that no duration is reported shorter than it was.
  const nanos = Math.min(Math.ceil((ms - seconds * 1000) * 1e6), 999_999_999);
  return { seconds: BigInt(seconds), nanos };
}

/** A field of a request that is absent when `ms` is undefined or NaN. */
export function durationField<Name extends string>(
  name: Name,
  ms: number | undefined,
): { [Field in Name]?: Seconds } {
  const given = ms !== undefined && !Number.isNaN(ms);
  return (given ? { [name]: toDuration(ms) } : {}) as { [Field in Name]?: Seconds };
}

/** The same field, from the wire, in ms. */
export function msField<Name extends string>(
  name: Name,
  duration: Seconds | undefined,
): { [Field in Name]?: number } {
  const field = duration === undefined ? {} : { [name]: toMs(duration) };
  return field as { [Field in Name]?: number };
}

/** In ms with fractions; 0 when absent. */
export const toMs = (duration: Seconds | undefined): number =>
  duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1e6;

/** @param ms since 1970-01-01 UTC; rounded to whole ms */
export function toTimestamp(ms: number): Seconds {
  const whole = Math.round(ms);
  const seconds = Math.floor(whole / 1000);
  return { seconds: BigInt(seconds), nanos: (whole - seconds * 1000) * 1e6 };
}

/** In whole ms; 0 when absent. */
export const fromTimestamp = (at: Seconds | undefined): number =>
  at === undefined ? 0 : Number(at.seconds) * 1000 + Math.round(at.nanos / 1e6);

/** A field that is absent when `ms` is undefined. */
export const timeField = <Name extends string>(name: Name, ms: number | undefined) =>
  field(name, ms === undefined ? null : toTimestamp(ms));

/** The same field, from the wire, in ms. */
export const timeMsField = <Name extends string>(name: Name, at: Seconds | undefined) =>
  field(name, at === undefined ? null : fromTimestamp(at));
