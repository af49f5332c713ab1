import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isOwn } from '#trust';
import { graceMs } from '../port.ts';
import { Ending } from './ending.ts';
import { type ProcessEntry, sessionMark } from './process-table.ts';
import { type SessionIdentity, SessionProcesses } from './session-processes.ts';
import { systemProcessTable } from './shared-listing.ts';

/** The time in which a host that lost its connection must have ended, in ms. */
const maxHostMs = 2_000;
const pollMs = 50;

const table = systemProcessTable();

/**
 * Ends the processes of a session whose host is lost: those that carry its id, and their descendants. A
 * program that ignores SIGHUP outlives its terminal.
 *
 * @param hostPid the host: if it still runs or is unknown (0), so may its programs, and nothing is done;
 * null if it is known to have ended
 * @throws VtrError PTY_ERROR that names the processes that could not be ended
 */
export async function endLeft(sessionId: string, hostPid: number | null): Promise<void> {
  if (hostPid !== null && !(await hasEnded(hostPid))) return;
  await end({ forkedAfter: 0, markerId: sessionId, mark: sessionMark(sessionId) }, graceMs);
}

/** The programs that use one home directory, in all sessions. */
export interface Household {
  /** The directory, which is their HOME or their XDG_RUNTIME_DIR. */
  readonly home: string;
  /** The session in which the first of them was started; null if none was. */
  readonly sessionId: string | null;
  /** A moment before that, of {@link processTime}. */
  readonly since: number;
}

/** Returns the time in the unit in which the system tells when a process has started. */
export const processTime = (): number => table.now();

/** A coordinator gives its own sessions {@link graceMs} to end, and then needs a moment. */
const householdMs = 2 * graceMs;

/**
 * Ends all programs of a home directory, and their descendants; with a session's mark, also those that have cleared
 * their environment. A coordinator among them outlives the session in which it was started, and ends its own
 * sessions first.
 *
 * @throws VtrError PTY_ERROR that names the processes that could not be ended
 */
export async function endHousehold({ home, sessionId, since }: Household): Promise<void> {
  const mark = sessionId === null ? null : sessionMark(sessionId);
  const variables = [`HOME=${home}`, `XDG_RUNTIME_DIR=${home}`];
  await end(
    {
      forkedAfter: since,
      markerId: '',
      mark,
      isMember: async (entry) =>
        // One of our own children can have the mark by chance: see `SessionProcesses`.
        (mark !== null && entry.parent !== process.pid && table.mark(entry) === mark) ||
        table.hasVariable(entry.pid, variables),
    },
    householdMs,
  );
}

type Found = Omit<SessionIdentity, 'leaderPid' | 'leader' | 'terminal'>;

/** Ends processes whose leader is gone. */
async function end(target: Found, waitMs: number): Promise<void> {
  const noLeader = { leaderPid: -1, leader: Promise.resolve(null), terminal: 'none' };
  const processes = new SessionProcesses(table, { ...noLeader, ...target });
  const leader = { pid: -1, hasExited: () => true, exited: Promise.resolve() };
  await new Ending(processes, leader, waitMs).run();
}

async function hasEnded(pid: number): Promise<boolean> {
  if (pid === 0) return false;
  for (let waitedMs = 0; waitedMs < maxHostMs; waitedMs += pollMs) {
    if (await isGone(pid)) return true;
    await delay(pollMs);
  }
  return false;
}

/** Returns false also if that cannot be read now. */
async function isGone(pid: number): Promise<boolean> {
  try {
    const entry = await table.find(pid);
    return entry === null || entry.zombie;
  } catch {
    return false;
  }
}

/** A process of a session. */
export interface LeftProgram {
  readonly pid: number;
  readonly name: string;
}

/**
 * Returns this user's processes of sessions that nobody has: their id is not in `listed`, and none of their
 * processes has a terminal, as those of a living host have. A program that ignores SIGHUP or has left its
 * session outlives a host that was killed. Empty where the system tells too little.
 *
 * @param listed ids of the sessions that coordinators have, also of those that have ended
 */
export async function leftPrograms(listed: Iterable<string>): Promise<readonly LeftProgram[]> {
  if (process.platform !== 'linux') return [];
  const table = systemProcessTable();
  const marks = new Set([...listed].map(sessionMark));
  const groups = new Map<bigint, ProcessEntry[]>();
  for (const entry of await table.list()) {
    if (entry.zombie || !isOurs(entry.pid)) continue;
    const id = await table.sessionId(entry);
    const mark = id === null ? table.mark(entry) : id === '' ? null : sessionMark(id);
    if (mark === null || marks.has(mark)) continue;
    groups.set(mark, [...(groups.get(mark) ?? []), entry]);
  }
  const left = [...groups.values()].filter((group) => group.every((each) => !hasTerminal(each)));
  return left.flat().map(({ pid, name }) => ({ pid, name }));
}

const hasTerminal = ({ foreground }: ProcessEntry): boolean => foreground > 0;

function isOurs(pid: number): boolean {
  try {
    return isOwn(statSync(`/proc/${pid}`));
  } catch {
    return false;
  }
}
