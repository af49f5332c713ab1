import { parseDurationMs } from '#base';
import { canonicalAddress, isAddress } from '#model';
import type { Value } from './parse-toml.ts';

export const text: Value = {
  mustBe: 'a non-empty string',
  accepts: (value) => typeof value === 'string' && value !== '',
};

export const duration: Value = {
  mustBe: 'a duration such as "500ms", "5s" or "2m"',
  accepts: (value) => typeof value === 'string' && parseDurationMs(value) !== null,
};

export const absolutePath: Value = {
  mustBe: 'an absolute path',
  accepts: (value) => typeof value === 'string' && /^[/~]/.test(value),
};

/** The socket of a daemon. */
export const socketPath: Value = {
  mustBe: 'the absolute path of a Unix socket',
  accepts: (value) => absolutePath.accepts(value) && !isAddress(String(value)),
};

/** The sockets of coordinators. */
export const socketPattern: Value = {
  mustBe: 'the path of a Unix socket, or a glob; the key of ssh://HOST and others is address',
  accepts: (value) => text.accepts(value) && !isAddress(String(value)),
};

/** Files may be written by others than the user, who alone names a command. */
export const address: Value = {
  mustBe: 'an address such as "ssh://gpu1"; exec: is accepted by --coordinator and VTR_SOCKET only',
  accepts: (value) =>
    text.accepts(value) && isAddress(String(value)) && !String(value).startsWith('exec:'),
  check: async (value) => void canonicalAddress(String(value)),
};

/** The name of a coordinator, which precedes a colon and the name of a session. */
export const coordinatorName: Value = {
  mustBe: 'letters, digits, ., _ and -, and not begin with . or -',
  accepts: (value) => typeof value === 'string' && /^\w[\w.-]*$/.test(value),
};

export interface WholeNumber extends Value {
  readonly from: number;
  readonly to: number;
}

export const wholeNumber = (from: number, to: number): WholeNumber => ({
  from,
  to,
  mustBe: `a whole number from ${from} to ${to}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
});

export const oneOf = (...words: readonly string[]): Value => ({
  mustBe: words.map((word) => JSON.stringify(word)).join(' or '),
  accepts: (value) => typeof value === 'string' && words.includes(value),
});

export const yesOrNo: Value = {
  mustBe: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

const texts: Value = {
  mustBe: 'a list of non-empty strings',
  accepts: (value) => Array.isArray(value) && value.every((each) => text.accepts(each)),
};

/** Loaded on demand, as below: most calls find no such key. */
async function checkPatterns(patterns: readonly string[]): Promise<void> {
  const { checkPattern } = await import('#watch');
  patterns.forEach(checkPattern);
}

export const pattern: Value = { ...text, check: (value) => checkPatterns([String(value)]) };

export const patterns: Value = {
  ...texts,
  check: (value) => checkPatterns(value as readonly string[]),
};

export const variableNames: Value = {
  mustBe: 'a list of names of environment variables',
  accepts: (value) =>
    Array.isArray(value) &&
    value.every((each) => text.accepts(each) && !String(each).includes('=')),
};

/** A key, or `none`. */
export const keyOrNone: Value = {
  ...text,
  async check(value) {
    if (value === 'none') return;
    const { parseKey } = await import('#keys');
    parseKey(String(value));
  },
};
