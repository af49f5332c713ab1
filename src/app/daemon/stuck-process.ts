import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { peerPid } from '#libc';
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
  for (let before: Activity | null = null; !isOver(); ) {
    const now = activityOf(pid);
    if (first === null || now === null) return null;
    if (now.state === 'stopped') return 'stopped';
    // An answer wakes it: it would not sleep at both times.
    if (now.state === 'sleeping' && before?.state === 'sleeping') return 'waiting';
    if (now.cpuMs - first.cpuMs >= enoughCpuMs) return 'working';
    before = now;
    await delay(lookMs);
  }
  return null;
}

/** Why a process answers nothing. */
export async function silenceOf(pid: number): Promise<Stuck> {
  const before = activityOf(pid);
  if (before?.state === 'stopped') return 'stopped';
  await delay(lookMs);
  const now = activityOf(pid);
  const isAsleep = before?.state === 'sleeping' && now?.state === 'sleeping';
  return isAsleep && now.cpuMs === before.cpuMs ? 'waiting' : 'working';
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
