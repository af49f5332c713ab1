import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeWork, showWorkIn, type WorkKind, workBytes } from '#base';
import { peerPid, sharedMemory } from '#libc';
import type { Stuck } from '#model';
import { claimHolder } from './start/claim.ts';
import { type Activity, activityOf } from './start/process-identity.ts';

/** How often the process is looked at, in ms. */
const lookMs = 200;
/** An answer takes less time of a processor, in ms: a turn of the daemon's event loop takes 50 (law 9). */
const enoughCpuMs = 500;

/**
 * Tells why the process that listens at a socket can answer nothing. Null if it can, and waits for a processor or for
 * a disk.
 *
 * @param connection a connection to it that waits for an answer
 * @param isOver whether the connection has an answer, or was given up
 */
export async function listenerStuck(
  connection: Socket,
  socket: string,
  isOver: () => boolean,
): Promise<Stuck | null> {
  const pid = peerPid(connection) ?? claimHolder(socket)?.pid ?? null;
  if (pid === null) return null;
  const first = activityOf(pid);
  let work: string | null = null;
  for (let before: Activity | null = null; !isOver(); ) {
    const now = activityOf(pid);
    if (first === null || now === null) return null;
    // It may be between two parts of its work.
    work = workOf(pid) ?? work;
    if (now.state === 'stopped') return { process: 'stopped' };
    // An answer wakes it: it would not sleep at both times.
    if (now.state === 'sleeping' && before?.state === 'sleeping') return stuckAt('waiting', work);
    if (now.cpuMs - first.cpuMs >= enoughCpuMs) return stuckAt('working', work);
    before = now;
    await delay(lookMs);
  }
  return null;
}

const stuckAt = (process: Stuck['process'], work: string | null): Stuck =>
  work === null ? { process } : { process, work };

/** Why a process answers nothing. */
export async function silenceOf(pid: number): Promise<Stuck> {
  const before = activityOf(pid);
  if (before?.state === 'stopped') return { process: 'stopped' };
  const work = workOf(pid);
  await delay(lookMs);
  const now = activityOf(pid);
  const isAsleep = before?.state === 'sleeping' && now?.state === 'sleeping';
  const process = isAsleep && now.cpuMs === before.cpuMs ? 'waiting' : 'working';
  return stuckAt(process, workOf(pid) ?? work);
}

/** Returns the process that listens at a socket; null if none does, or the system does not tell. */
export function listenerPid(socket: string): Promise<number | null> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    const end = () => {
      resolve(peerPid(connection));
      connection.destroy();
    };
    connection.once('connect', end).once('error', () => resolve(null));
  });
}

/** The name of the memory: see {@link sharedMemory}. */
const name = 'vtr-work';

let memory: Uint8Array | null = null;

/** Shows what this process works on, from now on, to {@link workOf} in other processes of the user. */
export function showWork(): void {
  memory ??= sharedMemory(name, workBytes);
  showWorkIn(memory);
}

const texts: Readonly<Record<WorkKind, (session: string) => string>> = {
  output: (session) => `output of session ${session}`,
  search: (session) => `a search in session ${session}`,
  save: (session) => `saving session ${session}`,
  call: (session) => `a call for session ${session}`,
  recording: (session) => `the recording of session ${session}`,
};

/** Returns what a daemon works on, such as `output of session build`; null if it shows nothing, or not to this process. */
function workOf(pid: number): string | null {
  const directory = `/proc/${pid}/fd`;
  try {
    for (const fd of readdirSync(directory)) {
      if (linkOf(`${directory}/${fd}`) !== `/memfd:${name} (deleted)`) continue;
      const work = decodeWork(readFileSync(`${directory}/${fd}`));
      return work && texts[work.kind](work.session);
    }
  } catch {
    // It has ended, belongs to another user, or the system has no /proc.
  }
  return null;
}

/** The descriptor may have been closed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
