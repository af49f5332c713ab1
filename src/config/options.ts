import type { Value } from './parse-toml.ts';
import type { UserEnvironment } from './user-environment.ts';

/**
 * A key of a configuration file: a row of a table, under the name that the program uses. The comment of a row is
 * its text in docs/configuration.md.
 */
export interface Option<W, V, D extends W | null> {
  /** The key, as in the file. */
  readonly key: string;
  readonly value: Value<W, V>;
  /** As in the file; null: none. Its text in the docs is then that of `@default` in the comment. */
  readonly default: D;
}

// biome-ignore lint/suspicious/noExplicitAny: of any type
type AnyOption = Option<any, unknown, unknown>;
export type OptionTable = Readonly<Record<string, AnyOption>>;

/** The values of the options of a table. */
export type OptionValues<T extends OptionTable> = {
  readonly [Name in keyof T]: OptionValue<T[Name], T[Name]['default']>;
};

/** The value of an option with a given default, which may be another than its own. */
export type OptionValue<O extends AnyOption, D> =
  O extends Option<infer _W, infer V, infer _D> ? (null extends D ? V | null : V) : never;

/** Returns what the program uses of a value in a file, or of a default. */
export const usedValue = (
  { value }: AnyOption,
  written: unknown,
  user: UserEnvironment,
): unknown => (written === null || value.read === undefined ? written : value.read(written, user));

/**
 * Returns the values of a table: those of the keys that a file sets, and the defaults of the others.
 *
 * @param user whose home directory `~` is in paths. Default: the table has no paths
 */
export function optionValues<T extends OptionTable>(
  options: T,
  written: Readonly<Record<string, unknown>>,
  user: UserEnvironment = { env: {} },
): OptionValues<T> {
  const values = Object.entries(options).map(([name, option]) => [
    name,
    usedValue(option, written[option.key] ?? option.default, user),
  ]);
  return Object.fromEntries(values) as OptionValues<T>;
}

/** Returns the values that each key of the options accepts. */
export const valuesOfKeys = (options: OptionTable): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.values(options).map(({ key, value }) => [key, value]));
