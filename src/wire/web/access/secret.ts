import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, in base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** Secrets are kept as SHA-256, in hexadecimal. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns the one whose hash is that of `secret`; takes the same time whichever it is. */
export function findBySecret<T extends { readonly hash: string }>(
  all: Iterable<T>,
  secret: string,
): T | null {
  const wanted = Buffer.from(hashOf(secret), 'hex');
  let found: T | null = null;
  for (const each of all) {
    if (timingSafeEqual(Buffer.from(each.hash, 'hex'), wanted)) found = each;
  }
  return found;
}
