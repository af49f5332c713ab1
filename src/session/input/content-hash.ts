import { createHash } from 'node:crypto';

/** Bytes of a hash: a repeat is recognised by it, and it is kept for each id. */
const hashBytes = 16;

/**
 * Returns a hash of what a call asks for, in hexadecimal: 32 digits. Two calls with the same id of input
 * are repeats only if it is the same. Properties of objects have any order.
 */
export function contentHash(...parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = part instanceof Uint8Array ? part : Buffer.from(JSON.stringify(part, ordered));
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex').slice(0, 2 * hashBytes);
}

function ordered(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
