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

/**
 * Ignores the failure of a promise: it resolves with undefined instead. A rejection that nothing handles ends the
 * process, so this is also for a promise that is awaited later.
 *
 * @param why the failure has no consequence, or where it is reported; for readers
 *
 * @example
 * ignored(file.close(), 'everything is written');
 * this.#last = ignored(turn, 'the caller gets the error');
 */
export function ignored<T>(promise: Promise<T>, why: string): Promise<T | undefined>;
export function ignored<T>(
  promise: Promise<T> | null | undefined,
  why: string,
): Promise<T | undefined> | undefined;
export function ignored<T>(
  promise: Promise<T> | null | undefined,
  _why: string,
): Promise<T | undefined> | undefined {
  return promise?.catch(() => undefined);
}
