import { randomBytes } from 'node:crypto';
import { unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemReason } from '#model';
import { keyText } from './mark-codes.ts';
import type { NotIntegrated, ShellKey, ShellProof } from './spawn.ts';

/**
 * Chooses a key for a shell and writes it to a file that only this user can read: its environment and its
 * arguments can be read by every program of the user, as long as it runs. The shell empties the file when it
 * has read it.
 */
export function createKey(): ShellKey | NotIntegrated {
  const key = randomBytes(16).toString('hex');
  const keyFile = join(tmpdir(), `vtr-shell-key-${randomBytes(8).toString('hex')}`);
  try {
    // Synchronous, as in `bashVersion`.
    writeFileSync(keyFile, keyText(key), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    removeFile(keyFile);
    return { reason: `${keyFile} cannot be written: ${systemReason(error)}` };
  }
  return { key, keyFile };
}

/** Removes the file of a key, if there is one: once the shell has used the key, and when it has ended. */
export function removeKeyFile(proof: ShellProof | undefined): void {
  if (proof !== undefined && 'keyFile' in proof) removeFile(proof.keyFile);
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Removed before.
  }
}
