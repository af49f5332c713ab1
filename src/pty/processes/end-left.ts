import { setTimeout as delay } from 'node:timers/promises';
import { Ending } from './ending.ts';
import { sessionMark } from './session-mark.ts';
import { SessionProcesses } from './session-processes.ts';
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
  const processes = new SessionProcesses(table, {
    ...{ leaderPid: -1, leader: Promise.resolve(null), terminal: 'none' },
    ...{ forkedAfter: 0, markerId: sessionId, mark: sessionMark(sessionId) },
  });
  const leader = { pid: -1, hasExited: () => true, exited: Promise.resolve() };
  await new Ending(processes, leader).run();
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
