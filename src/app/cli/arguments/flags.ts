import { parseDurationMs } from '#base';
import { absoluteTimeRef, maxSide, parseTimeRef, type Size, type TimeRef, VtrError } from '#model';

/** A flag of a verb: its help and the parser of its value. */
export interface Flag<T> {
  readonly about: string;
  /** The placeholder in help (`--cwd DIR`); null for a flag without a value. */
  readonly value: string | null;
  readonly short?: string;
  /** Repeatable; `read` parses each value. */
  readonly many?: true;
  readonly completes?: 'session' | 'file' | 'branch' | 'viewer' | readonly string[];
  /** The value may begin with `-` and a digit. */
  readonly negative?: true;
  /** The value is optional; if omitted, the flag's value is an empty text. */
  readonly bare?: true;
  /** @throws VtrError with a message that completes "--name VALUE: " */
  readonly read: (text: string) => T;
}

export type FlagValues<F extends Readonly<Record<string, Flag<unknown>>>> = {
  readonly [Name in keyof F]: F[Name] extends Flag<infer T>
    ? F[Name] extends { many: true }
      ? readonly T[]
      : F[Name] extends { value: null }
        ? boolean
        : T | undefined
    : never;
};

type Extras = Pick<Flag<unknown>, 'short' | 'completes'>;

export const toggle = (about: string, extras: Extras = {}): Flag<boolean> & { value: null } => ({
  about,
  value: null,
  read: () => true,
  ...extras,
});

export const text = (value: string, about: string, extras: Extras = {}): Flag<string> => ({
  about,
  value,
  read: (text) => {
    const hint = value === 'RE' ? '; give a regular expression' : '';
    if (text === '') throw wrong(`must not be empty${hint}`);
    return text;
  },
  ...extras,
});

/** A time in the past, as one of the coordinator's clock. */
export const timeRef = (about: string): Flag<TimeRef> => ({
  about,
  value: 'TIME',
  negative: true,
  read: (text) => absoluteTimeRef(text, Date.now()),
});

/** A duration before now, or a time, in ms since 1970. */
export const pastTime = (about: string): Flag<number> => ({
  about,
  value: 'TIME',
  negative: true,
  read: (text) => {
    const nowMs = Date.now();
    const agoMs = parseDurationMs(text);
    const atMs = agoMs === null ? timeOf(text, nowMs) : nowMs - agoMs;
    if (atMs !== null) return atMs;
    throw wrong('use a duration such as 30m, or a time such as 10:32 or 2026-11-23T10:32:05Z');
  },
});

/** Null for what is not a time. */
function timeOf(text: string, nowMs: number): number | null {
  try {
    const parsed = parseTimeRef(text, nowMs);
    return parsed.type === 'time' ? parsed.atMs : null;
  } catch {
    return null;
  }
}

/** A repeatable {@link text}. */
export const texts = (
  value: string,
  about: string,
  extras: Extras = {},
): Flag<string> & { many: true } => ({ ...text(value, about, extras), many: true });

export const oneOf = <const W extends string>(
  words: readonly W[],
  value: string,
  about: string,
): Flag<W> => ({
  about,
  value,
  completes: words,
  read: (text) => {
    const word = words.find((each) => each.toLowerCase() === text.toLowerCase());
    if (word === undefined) throw wrong(`use one of ${words.join(', ')}`);
    return word;
  },
});

export const duration = (about: string): Flag<number> => ({
  about,
  value: 'DURATION',
  read: (text) => {
    const ms = parseDurationMs(text);
    if (ms === null) throw wrong('use a duration such as 500ms, 5s or 2m');
    return ms;
  },
});

export const wholeNumber = (
  value: string,
  about: string,
  extras: Extras & { from?: number; to?: number } = {},
): Flag<number> => {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, ...rest } = extras;
  return { about, value, read: (text) => readWholeNumber(text, from, to), ...rest };
};

/** @throws VtrError INVALID_ARGUMENT */
function readWholeNumber(text: string, from: number, to: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw wrong(
    to === Number.MAX_SAFE_INTEGER
      ? `use a whole number, ${from} or more`
      : `use a whole number from ${from} to ${to}`,
  );
}

export const size = (about: string): Flag<Size> => ({
  about,
  value: 'COLSxROWS',
  read: (text) => {
    const [, cols = '', rows = ''] = /^(\d+)[x×](\d+)$/.exec(text) ?? [];
    if (cols === '') throw wrong('use a size such as 120x40');
    return {
      cols: readWholeNumber(cols, 1, maxSide),
      rows: readWholeNumber(rows, 1, maxSide),
    };
  },
});

/** Pairs such as `NAME=VALUE`, which is their placeholder. */
export const assignments = (
  value: string,
  about: string,
): Flag<readonly [string, string]> & { many: true } => ({
  about,
  value,
  many: true,
  read: (text) => {
    const equals = text.indexOf('=');
    if (equals < 1) throw wrong(`use ${value}`);
    return [text.slice(0, equals), text.slice(equals + 1)];
  },
});

/** Variables; one without a value, for the caller's own, is null. */
export const variables = (
  about: string,
): Flag<readonly [name: string, value: string | null]> & { many: true } => ({
  about,
  value: 'NAME[=VALUE]',
  many: true,
  read: (text) => {
    const equals = text.indexOf('=');
    if (equals === 0 || text === '') throw wrong('use NAME=VALUE, or NAME');
    return equals < 0 ? [text, null] : [text.slice(0, equals), text.slice(equals + 1)];
  },
});

const wrong = (message: string): VtrError => new VtrError('INVALID_ARGUMENT', message);
