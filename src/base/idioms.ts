/** The fields of an object, each of them with a value or absent. */
type Defined<Values> = { readonly [Name in keyof Values]?: NonNullable<Values[Name]> };

/**
 * Returns an object without the fields that are null or undefined, so that optional fields stay exact:
 * `{ rows, ...defined({ title }) }` has a key `title` only if there is a title. Other values stay;
 * `isOver || undefined` leaves out what is false, empty or 0.
 *
 * @example
 * const size = cols === null ? undefined : { cols, rows };
 * return { name, ...defined({ size, title: title || undefined }) };
 */
export function defined<Values extends object>(values: Values): Defined<Values> {
  const fields: Partial<Values> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined && value !== null) fields[name] = value;
  }
  return fields as Defined<Values>;
}
