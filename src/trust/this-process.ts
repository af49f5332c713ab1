import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** The user that this process acts as; a test gives its own. */
export interface ThisUser {
  readonly uid: number;
  /** All groups of the user. */
  readonly groups: readonly number[];
}

let known: ThisUser | null = null;

export function thisUser(): ThisUser {
  known ??= {
    uid: process.geteuid?.() ?? 0,
    groups: [process.getegid?.() ?? 0, ...(process.getgroups?.() ?? [])],
  };
  return known;
}

/** The user by whom the kernel counts processes (RLIMIT_NPROC, setrlimit(2)): not the one that this process acts as. */
export const realUser = (): number => process.getuid?.() ?? 0;

/** What the kernel reports for a user that does not exist in this user namespace: overflowuid, proc_sys_kernel(5). */
const overflowUid = 65_534;
/** /proc/self/uid_map outside of user namespaces, user_namespaces(7). */
const allUsers = /^\s*0\s+0\s+4294967295\s*$/;

/**
 * Whether a uid stands for all users outside of this user namespace, root among them. In a container
 * without root's rights, the directories of the system belong to it.
 */
export function isOutside(uid: number): boolean {
  if (uid !== overflowUid || process.platform !== 'linux') return false;
  try {
    return !allUsers.test(readFileSync('/proc/self/uid_map', 'latin1'));
  } catch {
    return false;
  }
}

let ownBootId: string | null | undefined;

/** Returns an id that the system chooses each time it starts; null if it has none. Linux only. */
export function bootId(): string | null {
  if (ownBootId !== undefined) return ownBootId;
  try {
    ownBootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    ownBootId = null;
  }
  return ownBootId;
}

/**
 * Returns what tells this machine from others, containers of the same system among them: a socket may be
 * forwarded to another one.
 */
export const thisMachine = (): string => `${bootId() ?? ''}/${hostname()}`;
