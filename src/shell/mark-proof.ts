import type { MarkKind } from '#model';

/**
 * Returns the number of a mark of the session's shell, which never falls; null for a mark that another
 * program may have printed.
 */
export type MarkProof = (mark: MarkKind, nonce: string) => number | null;

/** Half a block of the cipher. */
const maxNumber = 2 ** 32 - 1;

/** Returns null for a shell without integration. */
export function proofOf({
  key,
  nonce,
}: {
  readonly key?: string;
  readonly nonce?: string;
}): MarkProof | null {
  if (key !== undefined) return codes(key);
  return nonce === undefined ? null : constantNonce(nonce);
}

/**
 * The mark of a command's beginning has an odd number; the end of the command and the marks of the next
 * prompt share the even number after it. So what has been printed when a command begins cannot end it, and
 * what has been printed at a prompt cannot begin a command. Our shells do not set `commandLine`.
 */
function codes(key: string): MarkProof {
  const roundKeys = roundKeysOf(key);
  return (mark, nonce) => {
    const number = numberIn(nonce.slice(nonce.lastIndexOf('.') + 1));
    if (number === null || number > maxNumber) return null;
    const isInPlace = (mark === 'commandStart') === (number % 2 === 1) && mark !== 'commandLine';
    return isInPlace && nonce === markCode(number, roundKeys) ? number : null;
  };
}

/** For shells that earlier versions started. The number rises with each prompt. */
function constantNonce(constant: string): MarkProof {
  const start = `${constant}.`;
  return (_mark, nonce) => (nonce.startsWith(start) ? numberIn(nonce.slice(start.length)) : null);
}

const numberIn = (text: string): number | null => (/^\d{1,15}$/.test(text) ? Number(text) : null);

/**
 * How a shell proves that it set a mark: the mark contains the number of its place among the marks, and
 * that number encrypted with a key that only the shell and this process know. A number is printed while
 * it is still good for nothing else, so marks that are printed again prove nothing.
 *
 * The cipher is Speck64/128 (Beaulieu and others, "The Simon and Speck Families of Lightweight Block
 * Ciphers", 2013, section 4), because shells have no cipher, and this one is short in their arithmetic.
 */

const rounds = 27;

/** A block or a part of a key: two words of 32 bits, the high one first. */
type Words = readonly [number, number];

const rotated = (word: number, left: number): number => (word << left) | (word >>> (32 - left));

function round([x, y]: Words, key: number): Words {
  const high = (((rotated(x, 24) + y) >>> 0) ^ key) >>> 0;
  return [high, (rotated(y, 3) ^ high) >>> 0];
}

/** Returns a block encrypted. */
export function encrypted(block: Words, roundKeys: readonly number[]): Words {
  return roundKeys.reduce(round, block);
}

/**
 * Returns the keys of the rounds.
 *
 * @param key 128 bits in hexadecimal, the highest first
 */
export function roundKeysOf(key: string): readonly number[] {
  const words = [0, 8, 16, 24].map((at) => Number.parseInt(key.slice(at, at + 8), 16));
  const [last = 0, middle = 0, first = 0, start = 0] = words;
  const others = [first, middle, last];
  const keys = [start];
  for (let index = 0; index < rounds - 1; index++) {
    const [other, own] = round([others[index] ?? 0, keys[index] ?? 0], index);
    others.push(other);
    keys.push(own);
  }
  return keys;
}

/** The number of the first marks of a shell. */
const firstNumber = 2;

/** Returns what a shell reads at its start: the keys of the rounds, and the encrypted {@link firstNumber}. */
export function keyText(key: string): string {
  const roundKeys = roundKeysOf(key);
  return `${[...roundKeys, ...encrypted([0, firstNumber], roundKeys)].join(' ')}\n`;
}

/** Returns what a mark with a number contains, as its `nonce`. */
export function markCode(number: number, roundKeys: readonly number[]): string {
  return [...encrypted([0, number], roundKeys), number].join('.');
}
