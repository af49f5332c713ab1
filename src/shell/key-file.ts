import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemReason } from '#model';
import { isOwn, parentsProblem } from '#trust';
import { keyText } from './mark-proof.ts';
import type { NotIntegrated, ShellKey, ShellProof } from './spawn.ts';

const namePattern = /^vtr-shell-key-[0-9a-f]{16}$/;
/** Every shell has read its key by then, in ms; fish does so after the files of the user. */
const unreadMs = 60 * 60_000;
const maxKeyBytes = 1024;

/** Where a key may be: with temporary files, or in memory, which a full disk does not affect. */
function keyDirectories(): readonly string[] {
  const { XDG_RUNTIME_DIR = '' } = process.env;
  const all = new Set([tmpdir(), XDG_RUNTIME_DIR, '/dev/shm', '/tmp']);
  // A shell may start in another directory than this process.
  return [...all].filter((each) => isAbsolute(each));
}

/**
 * Chooses a key for a shell and writes it to a file that only this user can read: its environment and its
 * arguments can be read by every program of the user, as long as it runs. The shell empties the file when it
 * has read it. The file is in the first of the directories that can be used.
 */
export function createKey(directories = keyDirectories()): ShellKey | NotIntegrated {
  const key = randomBytes(16).toString('hex');
  const name = `vtr-shell-key-${randomBytes(8).toString('hex')}`;
  const problems: string[] = [];
  for (const directory of directories) {
    const keyFile = join(directory, name);
    const problem = writeKey(keyFile, key);
    if (problem === null) return { key, keyFile };
    problems.push(problem);
  }
  // That of the directory that the user has chosen.
  return { reason: problems[0] ?? 'there is no directory for its key' };
}

/**
 * Synchronous, as in `bashVersion`. Returns why the key cannot be written where nobody else can replace it; null
 * if it was.
 */
function writeKey(keyFile: string, key: string): string | null {
  try {
    const replaceable = parentsProblem(keyFile);
    if (replaceable !== null) return replaceable.problem;
    writeFileSync(keyFile, keyText(key), { mode: 0o600, flag: 'wx' });
    return null;
  } catch (error) {
    removeFile(keyFile);
    return `${keyFile} cannot be written: ${systemReason(error)}`;
  }
}

/**
 * Removes the files of keys whose coordinator and host were killed before the first prompt. A file that
 * cannot be removed is left.
 *
 * @param nowMs on the clock of the file system
 */
export function removeLeftKeyFiles(nowMs = Date.now(), directories = keyDirectories()): void {
  for (const directory of directories) {
    for (const name of namesIn(directory)) {
      if (namePattern.test(name)) removeIfLeft(join(directory, name), nowMs);
    }
  }
}

function removeIfLeft(path: string, nowMs: number): void {
  try {
    const stat = lstatSync(path);
    const isKey = stat.isFile() && isOwn(stat) && stat.size <= maxKeyBytes;
    if (isKey && nowMs - stat.mtimeMs > unreadMs) unlinkSync(path);
  } catch {
    // It was removed meanwhile.
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
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
