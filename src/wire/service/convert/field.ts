import type * as wire from '#messages';
import { clampWaitMs, VtrError } from '#model';
import { enumValues } from '../gen/message-fields.gen.ts';

/**
 * Returns a field to spread into a message or a result, or nothing for null and undefined.
 *
 * @example { name, ...field('line', line) }
 */
export function field<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [Field in Name]?: Value } {
  return (value == null ? {} : { [name]: value }) as { readonly [Field in Name]?: Value };
}

type Fields<T, Name extends keyof T> = { readonly [Field in Name]?: NonNullable<T[Field]> };

/** Returns those fields of an object that are neither null nor undefined. */
export function fieldsOf<T extends object, Name extends keyof T>(
  of: T,
  ...names: readonly Name[]
): Fields<T, Name> {
  const fields: { [Field in Name]?: T[Field] } = {};
  for (const name of names) if (of[name] != null) fields[name] = of[name];
  return fields as Fields<T, Name>;
}

/** The same for a whole number, which has 64 bits on the wire. */
export function wholeField<Name extends string>(
  name: Name,
  value: number | null | undefined,
): { readonly [Field in Name]?: bigint } {
  return field(name, value == null ? null : BigInt(value));
}

/** The same for a 64-bit number from the wire. */
export function numberField<Name extends string>(
  name: Name,
  value: bigint | undefined,
): { readonly [Field in Name]?: number } {
  return field(name, value === undefined ? null : Number(value));
}

export const numberOrNull = (value: bigint | undefined): number | null =>
  value === undefined ? null : Number(value);

/** The error for an answer that breaks the protocol. The call is not repeated: the answer would be the same. */
export const protocolError = (message: string, cause?: unknown): VtrError =>
  new VtrError('UNAVAILABLE', message, { cause, details: { reason: 'PROTOCOL' } });

/** Returns a part of an answer that every server of this version sends. @throws VtrError UNAVAILABLE */
export function present<T>(part: T | null | undefined): T {
  if (part !== null && part !== undefined) return part;
  throw protocolError('the answer of the coordinator lacks a part');
}

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
  const isPresent = ms !== undefined && !Number.isNaN(ms);
  return (isPresent ? { [name]: toDuration(ms) } : {}) as { [Field in Name]?: Seconds };
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

type EnumName = keyof typeof enumValues & keyof typeof wire;

/** A value of an enum as the model spells it: in lower case, without UNSPECIFIED. */
type WordOf<Name extends EnumName> = Lowercase<
  Exclude<keyof (typeof wire)[Name] & string, 'UNSPECIFIED'>
>;

type ValueOf<Name extends EnumName> = (typeof wire)[Name][keyof (typeof wire)[Name]];

/** Numbers by word, for each enum that was used. */
const enums = new Map<EnumName, ReadonlyMap<string, number>>();

function numbersOf(name: EnumName): ReadonlyMap<string, number> {
  const numbersOf = enums.get(name);
  if (numbersOf !== undefined) return numbersOf;
  const numbers = new Map<string, number>();
  const [_prefix, ...values] = enumValues[name].split(' ');
  for (const each of values) {
    const [value = '', number] = each.split('=');
    numbers.set(value.toLowerCase(), Number(number));
  }
  enums.set(name, numbers);
  return numbers;
}

/** Converts a word of the model to a value of an enum. An absent or unknown word becomes UNSPECIFIED, 0. */
export function enumOf<Name extends EnumName>(
  name: Name,
  word: WordOf<Name> | null | undefined,
): ValueOf<Name> {
  return ((word && numbersOf(name).get(word)) ?? 0) as ValueOf<Name>;
}

/** Converts a value of an enum to a word. Undefined for UNSPECIFIED, and for values of a later version. */
export function wordOf<Name extends EnumName>(name: Name, value: number): WordOf<Name> | undefined {
  for (const [word, number] of numbersOf(name)) if (number === value) return word as WordOf<Name>;
  return undefined;
}
