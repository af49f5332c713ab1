import { statSync } from 'node:fs';
import { isOwn } from '#trust';
import type { ProcessEntry } from './process-table.ts';
import { sessionMark } from './session-mark.ts';
import { systemProcessTable } from './shared-listing.ts';

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
  const known = new Set([...listed].map(sessionMark));
  const groups = new Map<bigint, ProcessEntry[]>();
  for (const entry of await table.list()) {
    if (entry.zombie || !isOurs(entry.pid)) continue;
    const id = await table.sessionId(entry);
    const mark = id === null ? table.mark(entry) : id === '' ? null : sessionMark(id);
    if (mark === null || known.has(mark)) continue;
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
