import { setTimeout as delay } from 'node:timers/promises';
import { asVtrError, VtrError } from '#model';
import { JsonCoordinator } from '#wire/service/short';
import type { Context } from './context.ts';

/** Every session has 5 s to end, and some time to be killed. */
const patienceMs = 15_000;
const lookEveryMs = 20;

export interface StopRequest {
  readonly socket: string;
  /** The socket was named by a flag, so that it counts and not what a pid file says. */
  readonly isNamed: boolean;
  readonly pidFile?: string;
}

/**
 * Ends a daemon through its socket, and waits until it is gone. A pid file tells the socket; its
 * process is signalled only when it does not answer there and is, by its start time, the one that
 * wrote the file.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function stopDaemon(context: Context, request: StopRequest): Promise<undefined> {
  // It knows processes; nothing else of the daemon is used.
  const daemon = await import('#app/daemon');
  const { pidFile, isNamed } = request;
  const facts = pidFile === undefined ? null : daemon.readPidFile(pidFile);
  const socket = isNamed || facts === null ? request.socket : facts.socket;
  // Its last act in the folder is not its last: the process has yet to end.
  const holder = daemon.claimHolder(socket);
  const isRunning = () => holder !== null && daemon.isAlive(holder);
  try {
    await new JsonCoordinator(socket).stopDaemon();
    await gone(async () => isRunning() || (await daemon.isServed(socket)), socket);
  } catch (error) {
    // Who wants one gone need not be told how to have one.
    const { code, message } = asVtrError(error);
    if (facts === null || !daemon.isAlive(facts)) throw new VtrError(code, message);
    process.kill(facts.pid, 'SIGTERM');
    await gone(async () => daemon.isAlive(facts), socket);
  }
  context.say(`the coordinator at ${socket} has ended`);
  return undefined;
}

/** @throws VtrError UNAVAILABLE */
async function gone(isThere: () => Promise<boolean>, socket: string): Promise<void> {
  for (const lastMs = performance.now() + patienceMs; performance.now() < lastMs; ) {
    if (!(await isThere())) return;
    await delay(lookEveryMs);
  }
  throw new VtrError('UNAVAILABLE', `the coordinator at ${socket} is still ending its sessions`);
}
