import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from '#config';
import { silentReason, VtrError } from '#model';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

/** How often a starting daemon checks whether the others have gone. */
const pollMs = 10;
/** A start takes a tenth of this on a busy machine, an orderly end six seconds. */
const claimTimeoutMs = 15_000;

/** The exclusive right of this process to a socket's path, until released. */
export interface Claim {
  release(): void;
  /** Writes the claim file again if it was removed. */
  renew(): void;
}

export interface ClaimOptions {
  /** Whether a coordinator answers at the socket. */
  readonly isLive: () => Promise<boolean>;
  readonly self?: ProcessIdentity;
}

/**
 * Claims a socket's path, so that exactly one of several starting processes binds it. Returns null
 * if a coordinator answers there, or starts to answer.
 *
 * Node has no file locks, and a lock file that outlives its owner cannot be removed safely: between
 * the check for a dead owner and the removal, another process may have taken it. So each process
 * writes its own claim file, named after the process, and then reads the directory. If there are two,
 * at least one sees the other. The file of a dead process is safe to remove, because no other process
 * ever has its name. If two processes see each other, the one with the greater pid withdraws.
 *
 * The claim files are next to the socket. Processes that share the directory but not the pid
 * namespace (containers that share a volume) must use different paths.
 *
 * @throws VtrError UNAVAILABLE if another process keeps the claim and does not answer, or if the
 * directory cannot be read or written
 */
export async function claimSocket(socket: string, options: ClaimOptions): Promise<Claim | null> {
  const { isLive, self = thisProcess() } = options;
  const own = fileOf(socket, self);
  const release = () => removeClaim(own);
  const renew = () => writeClaim(own);
  const lastMs = performance.now() + claimTimeoutMs;
  for (;;) {
    const others = stakeClaim(socket, self);
    const isAnswered = await isLive().catch((error) => {
      release();
      throw error;
    });
    if (others.length === 0 && !isAnswered) return { release, renew };
    if (isAnswered || performance.now() > lastMs) release();
    if (isAnswered) return null;
    if (performance.now() > lastMs) throw noAnswer(socket, others);
    await delay(pollMs);
  }
}

/**
 * Writes our claim file, unless a process with a smaller pid has one.
 *
 * @returns the other processes with a claim file; if there is none, no other can get the claim
 */
function stakeClaim(socket: string, self: ProcessIdentity): ProcessIdentity[] {
  const own = fileOf(socket, self);
  const isBefore = ({ pid }: ProcessIdentity) => pid < self.pid;
  const before = livingOthers(socket, self);
  if (before.some(isBefore)) {
    removeClaim(own);
    return before;
  }
  writeClaim(own);
  const others = livingOthers(socket, self);
  if (others.some(isBefore)) removeClaim(own);
  return others;
}

function writeClaim(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new VtrError(
      'UNAVAILABLE',
      `cannot create files in ${dirname(file)} (${code}); choose another directory with --socket or VTR_SOCKET`,
    );
  }
}

/** A claim that cannot be removed is removed by the next start after the end of its process. */
function removeClaim(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next start reports a directory that cannot be written.
  }
}

function noAnswer(socket: string, [holder]: readonly ProcessIdentity[]): VtrError {
  const message = `process ${holder?.pid} has claimed ${socket}, and does not answer`;
  return new VtrError('UNAVAILABLE', message, { details: { socket, reason: silentReason } });
}

/** Returns the process that claims a socket's path; null if none does in this pid namespace. */
export function claimHolder(socket: string): ProcessIdentity | null {
  return claimsOf(socket).find(isAlive) ?? null;
}

/** Whether a daemon owns a socket, including one that is starting or ending. */
export async function isServed(socket: string): Promise<boolean> {
  return claimHolder(socket) !== null || (await isListening(socket));
}

const fileOf = (socket: string, { pid, start }: ProcessIdentity): string =>
  `${socket}.${pid}-${start}.claim`;

function livingOthers(socket: string, self: ProcessIdentity): ProcessIdentity[] {
  return claimsOf(socket).filter((each) => {
    if (each.pid === self.pid && each.start === self.start) return false;
    if (isAlive(each)) return true;
    removeClaim(fileOf(socket, each));
    return false;
  });
}

function claimsOf(socket: string): ProcessIdentity[] {
  const prefix = `${basename(socket)}.`;
  return namesIn(dirname(socket)).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const [, pid, start] = /^(\d+)-(\d+)\.claim$/.exec(name.slice(prefix.length)) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), start: Number(start) }];
  });
}

/** @throws VtrError UNAVAILABLE: a claim that cannot be seen may be there */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // The directory does not exist, or belongs to others.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(code)) return [];
    throw new VtrError('UNAVAILABLE', `cannot list the files in ${directory}: ${code}`);
  }
}
