import { createHash } from 'node:crypto';

/** Marks are numbers from 2^61 up to 2^62: nobody chooses such a limit, and files have no more locks. */
const least = 2n ** 61n;

/**
 * Returns the number that marks all programs of a session: their soft limit of file locks
 * (RLIMIT_LOCKS), which Linux has not enforced since 2.4.25. Unlike a variable of the environment, the
 * terminal, the kernel's session and the parent, a program keeps it whatever it does to get away, as
 * `setsid env -i` does.
 *
 * @param id the session's id
 */
export function sessionMark(id: string): bigint {
  const digest = createHash('sha256').update(id).digest();
  return least + (digest.readBigUInt64BE() % least);
}

/** The soft limit: the first number of the row, in proc_pid_limits(5). */
const row = /^Max file locks +(\d+) /m;

/** Returns the mark in a process's limits, as the system prints them; null if they have none. */
export function markIn(limits: string): bigint | null {
  const [, soft] = row.exec(limits) ?? [];
  const value = soft === undefined ? 0n : BigInt(soft);
  return value >= least && value < 2n * least ? value : null;
}
