/**
 * A part of a message that is absent where nothing is to be said.
 *
 * @example { name, ...field('line', line) }
 */
export function field<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [Field in Name]?: Value } {
  return (value == null ? {} : { [name]: value }) as { readonly [Field in Name]?: Value };
}

/** A part that holds a whole number, which the wire has as 64 bits. */
export function wholeField<Name extends string>(
  name: Name,
  value: number | null | undefined,
): { readonly [Field in Name]?: bigint } {
  return field(name, value == null ? null : BigInt(value));
}

/** The same, from the wire. */
export function numberField<Name extends string>(
  name: Name,
  value: bigint | undefined,
): { readonly [Field in Name]?: number } {
  return field(name, value === undefined ? null : Number(value));
}

export const numberOrNull = (value: bigint | undefined): number | null =>
  value === undefined ? null : Number(value);
