import { parseDurationMs } from '#base';
import { canonicalAddress, isAddress } from '#model';
import type { QuietHours } from '#notify';
import type { Value } from './parse-toml.ts';
import { expandHome, type UserEnvironment } from './user-environment.ts';

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

export const text: Value<string> = {
  mustBe: 'a non-empty string',
  accepts: (value) => typeof value === 'string' && value !== '',
};

/** A duration, which the program uses in `unit`. */
export interface Duration extends Value<string, number> {
  readonly unit: 'ms';
}

export const duration: Duration = {
  unit: 'ms',
  mustBe: 'a duration such as "500ms", "5s" or "2m"',
  accepts: (value) => typeof value === 'string' && parseDurationMs(value) !== null,
  read: (written) => parseDurationMs(written) ?? 0,
};

export const isDuration = (value: Value): value is Duration => 'unit' in value;

/** Null if the text is no such hours. */
function readHours(text: string): QuietHours | null {
  const times = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (times === null) return null;
  const [, fromHour, from, toHour, to] = times.map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const hours = { fromMinute: fromHour * 60 + from, toMinute: toHour * 60 + to };
  return hours.fromMinute === hours.toMinute ? null : hours;
}

/** Hours of each day. */
export const hours: Value<string, QuietHours | null> = {
  mustBe: 'two different times such as "22:00-07:00"',
  accepts: (value) => typeof value === 'string' && readHours(value) !== null,
  read: readHours,
};

/** A path, of which the program gets `~` as the home directory. */
export const absolutePath: Value<string> = {
  mustBe: 'an absolute path',
  accepts: (value) => typeof value === 'string' && /^[/~]/.test(value),
  read: expandHome,
};

/** Where entries are forwarded to: a file, or a service that listens at a Unix socket. */
export interface ForwardTo {
  readonly kind: 'syslog' | 'journald' | 'file';
  readonly path: string;
}

/** The sockets at which services of the system listen. */
const serviceSockets: Readonly<Record<string, string>> = {
  syslog: process.platform === 'darwin' ? '/var/run/syslog' : '/dev/log',
  journald: '/run/systemd/journal/socket',
};

function readForwardTo(written: string, user: UserEnvironment): ForwardTo | null {
  const [, kind = '', path = serviceSockets[kind] ?? ''] =
    /^(syslog|journald|file)(?::([/~].*))?$/s.exec(written) ?? [];
  return path === '' ? null : { kind: kind as ForwardTo['kind'], path: expandHome(path, user) };
}

/** Where entries are forwarded to. */
export const forwardTo: Value<string, ForwardTo | null> = {
  mustBe: '"syslog", "journald" or "file:PATH"; a socket of another path is "syslog:PATH"',
  accepts: (value) => typeof value === 'string' && readForwardTo(value, { env: {} }) !== null,
  read: readForwardTo,
};

/** The socket of a daemon. */
export const socketPath: Value<string> = {
  ...absolutePath,
  mustBe: 'the absolute path of a Unix socket',
  accepts: (value) => absolutePath.accepts(value) && !isAddress(String(value)),
};

/** The sockets of coordinators. */
export const socketPattern: Value<string> = {
  mustBe: 'the path of a Unix socket, or a glob; the key of ssh://HOST and others is address',
  accepts: (value) => text.accepts(value) && !isAddress(String(value)),
};

/** Files may be written by others than the user, who alone names a command. */
export const address: Value<string> = {
  mustBe: 'an address such as "ssh://gpu1"; exec: is accepted by --coordinator and VTR_SOCKET only',
  accepts: (value) =>
    text.accepts(value) && isAddress(String(value)) && !String(value).startsWith('exec:'),
  check: async (value) => void canonicalAddress(value),
};

/** Servers, each by the origin of its address. */
export const origins: Value<readonly string[]> = {
  mustBe: 'a list of origins such as ["https://push.example"]',
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((each) => URL.canParse(String(each)) && new URL(each).origin === each),
};

/** The name of a coordinator, which precedes a colon and the name of a session. */
export const coordinatorName: Value<string> = {
  mustBe: 'letters, digits, ., _ and -, without . or - at its beginning',
  accepts: (value) => typeof value === 'string' && /^\w[\w.-]*$/.test(value),
};

export interface WholeNumber extends Value<number> {
  readonly from: number;
  readonly to: number;
}

export const wholeNumber = (from: number, to: number): WholeNumber => ({
  from,
  to,
  mustBe: `a whole number from ${from} to ${to}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
});

export const isWholeNumber = (value: Value): value is WholeNumber => 'from' in value;

export const bytesPerMiB = 1024 * 1024;

/** A number of MiB, which the program uses in bytes. */
export const mebibytes = (from: number, to: number): WholeNumber => ({
  ...wholeNumber(from, to),
  read: (written) => written * bytesPerMiB,
});

export interface OneOf<W extends string, V = W> extends Value<W, V> {
  readonly words: readonly W[];
}

export const oneOf = <const W extends string>(...words: readonly W[]): OneOf<W> => ({
  words,
  mustBe: words.map((word) => JSON.stringify(word)).join(' or '),
  accepts: (value) => words.some((word) => word === value),
});

export const isOneOf = (value: Value): value is OneOf<string> => 'words' in value;

/** Permissions of a file, which the program uses as a number. */
export const mode = <const W extends string>(...words: readonly W[]): OneOf<W, number> => ({
  ...oneOf(...words),
  read: (written) => Number.parseInt(written, 8),
});

export const yesOrNo: Value<boolean> = {
  mustBe: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

export const texts: Value<readonly string[]> = {
  mustBe: 'a list of non-empty strings',
  accepts: (value) => Array.isArray(value) && value.every((each) => text.accepts(each)),
};

/** Loaded on demand, as below: most calls find no such key. */
async function checkPatterns(patterns: readonly string[]): Promise<void> {
  const { checkPattern } = await import('#watch');
  patterns.forEach(checkPattern);
}

export const pattern: Value<string> = { ...text, check: (value) => checkPatterns([value]) };

export const patterns: Value<readonly string[]> = { ...texts, check: checkPatterns };

export const variableNames: Value<readonly string[]> = {
  mustBe: 'a list of names of environment variables',
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((each) => text.accepts(each) && !String(each).includes('=')),
};

/** Loads the names of keys on demand, as above. */
async function checkKeys(keys: readonly string[]): Promise<void> {
  const { parseKey } = await import('#keys');
  keys.forEach(parseKey);
}

export const keyNames: Value<readonly string[]> = { ...texts, check: checkKeys };

/** A key, or `none`. */
export const keyOrNone: Value<string> = {
  ...text,
  async check(value) {
    if (value !== 'none') await checkKeys([value]);
  },
};
