import { readFileSync } from 'node:fs';
import { VtrError } from '#model';

/**
 * Checks the arguments of this process: Node decodes them, and replaces what is not UTF-8 by U+FFFD, which a
 * program would then receive. Only Linux has their bytes; elsewhere nothing is checked.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkUtf8(): void {
  const bytes = argumentBytes();
  if (bytes === null) return;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const message = 'an argument is not valid UTF-8; send bytes with vtr raw';
    throw new VtrError('INVALID_ARGUMENT', message, { cause: error });
  }
}

function argumentBytes(): Uint8Array | null {
  try {
    return readFileSync('/proc/self/cmdline');
  } catch {
    return null;
  }
}
