import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { VtrError } from '#model';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';

/** How often a starter looks whether the others have gone. */
const lookEveryMs = 10;
/** A start takes a tenth of this on a busy machine, an orderly end six seconds. */
const patienceMs = 15_000;

/** Holds a socket's path for this process until released. */
export interface Claim {
  release(): void;
  /** Puts its file up again, where somebody has removed it. */
  renew(): void;
}

export interface ClaimOptions {
  /** Whether a coordinator answers at the socket. */
  readonly isLive: () => Promise<boolean>;
  readonly self?: ProcessIdentity;
}

/**
 * Claims a socket's path, so that of all processes that start at once exactly one binds it. Null
 * where a coordinator answers there, or comes to answer.
 *
 * Node has no file locks, and a lock file that outlives its owner cannot be broken safely: between
 * the look at a dead owner and the removal, someone else may have taken it. So each starter puts up
 * a file of its own, whose name says who it is, and only then looks for the others'. Of two
 * starters at least one sees the other, and a file of the dead is removed by a name that nobody
 * else will ever have. Where two see each other, the one with the greater pid goes.
 *
 * The files lie beside the socket; processes that see the same folder with other process numbers
 * (containers that share a volume) have to use other paths.
 *
 * @throws VtrError UNAVAILABLE when another process holds the claim and does not come to answer
 */
export async function claimSocket(socket: string, options: ClaimOptions): Promise<Claim | null> {
  const { isLive, self = thisProcess() } = options;
  const own = fileOf(socket, self);
  const release = () => rmSync(own, { force: true });
  const renew = () => putUp(own);
  const lastMs = performance.now() + patienceMs;
  for (;;) {
    const others = standFor(socket, self);
    const isAnswered = await isLive();
    if (others.length === 0 && !isAnswered) return { release, renew };
    if (isAnswered || performance.now() > lastMs) release();
    if (isAnswered) return null;
    if (performance.now() > lastMs) throw noAnswer(socket, others);
    await delay(lookEveryMs);
  }
}

/**
 * Puts up our file, unless a smaller pid has one up.
 *
 * @returns those who have one up besides; nobody else can come to hold the claim when there is none
 */
function standFor(socket: string, self: ProcessIdentity): ProcessIdentity[] {
  const own = fileOf(socket, self);
  const isBefore = ({ pid }: ProcessIdentity) => pid < self.pid;
  const before = livingOthers(socket, self);
  if (before.some(isBefore)) {
    rmSync(own, { force: true });
    return before;
  }
  putUp(own);
  const others = livingOthers(socket, self);
  if (others.some(isBefore)) rmSync(own, { force: true });
  return others;
}

const putUp = (file: string): void => writeFileSync(file, '', { mode: 0o600 });

function noAnswer(socket: string, [holder]: readonly ProcessIdentity[]): VtrError {
  return new VtrError(
    'UNAVAILABLE',
    `process ${holder?.pid} holds ${socket} and does not answer; look at it, or end it`,
  );
}

/** Who holds a socket's path; null where nobody does, or someone who sees other process numbers. */
export function claimHolder(socket: string): ProcessIdentity | null {
  return claimsOf(socket).find(isAlive) ?? null;
}

const fileOf = (socket: string, { pid, start }: ProcessIdentity): string =>
  `${socket}.${pid}-${start}.claim`;

function livingOthers(socket: string, self: ProcessIdentity): ProcessIdentity[] {
  return claimsOf(socket).filter((each) => {
    if (each.pid === self.pid && each.start === self.start) return false;
    if (isAlive(each)) return true;
    rmSync(fileOf(socket, each), { force: true });
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
