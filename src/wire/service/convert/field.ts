import { VtrError } from '#model';

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

/** Returns an object without the properties that are null or undefined. */
export const defined = <T extends object>(of: T): Fields<T, keyof T> =>
  fieldsOf(of, ...(Object.keys(of) as (keyof T)[]));

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
