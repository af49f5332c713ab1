import { create } from '@bufbuild/protobuf';
import {
  type Duration,
  DurationSchema,
  type Timestamp,
  timestampFromMs,
  timestampMs,
} from '@bufbuild/protobuf/wkt';
import { clampWaitMs } from '#model';

/** @param ms 0 to a day; clamped, as what may be waited for. */
export const toDuration = (ms: number): Duration => toLongDuration(clampWaitMs(ms, 0));

/** @param ms how long something took, however long that was */
export function toLongDuration(ms: number): Duration {
  const seconds = Math.floor(ms / 1000);
  // Rounded up, so that what took long enough does not seem to have been shorter.
  const nanos = Math.min(Math.ceil((ms - seconds * 1000) * 1e6), 999_999_999);
  return create(DurationSchema, { seconds: BigInt(seconds), nanos });
}

/** The part of a message that says how long; nothing where nothing is said. */
export function durationField<Name extends string>(
  name: Name,
  ms: number | undefined,
): { [Field in Name]?: Duration } {
  const given = ms !== undefined && !Number.isNaN(ms);
  return (given ? { [name]: toDuration(ms) } : {}) as { [Field in Name]?: Duration };
}

/** The part of a request that says how long, in ms; nothing where nothing is said. */
export function msField<Name extends string>(
  name: Name,
  duration: Duration | undefined,
): { [Field in Name]?: number } {
  const field = duration === undefined ? {} : { [name]: toMs(duration) };
  return field as { [Field in Name]?: number };
}

/** With fractions, unlike the library's. */
export const toMs = (duration: Duration | undefined): number =>
  duration === undefined ? 0 : Number(duration.seconds) * 1000 + duration.nanos / 1e6;

export const toTimestamp = (ms: number): Timestamp => timestampFromMs(Math.round(ms));

export const fromTimestamp = (at: Timestamp | undefined): number =>
  at === undefined ? 0 : timestampMs(at);
