import type { MarkKind } from '#model';
import { markCode, roundKeysOf } from './mark-codes.ts';

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
