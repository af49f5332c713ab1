import { setTimeout as delay } from 'node:timers/promises';
import { isNotRunning } from '#app/client';
import { asVtrError, VtrError } from '#model';
import type { Context } from '../context.ts';
import { daemonClient } from './known-coordinators.ts';

/** Sessions get 5 s to end, and some time to be killed. */
const stopTimeoutMs = 15_000;
const pollMs = 20;
/** Daemons that are ended one after the other. */
const maxDaemons = 5;

export interface StopRequest {
  readonly socket: string;
  /** The socket was given by a flag, so that the one in the pid file is ignored. */
  readonly isNamed: boolean;
  readonly pidFile?: string;
}

/**
 * Ends a daemon through its socket, and waits for its exit. Also ends the sessions that a killed
 * daemon left. The socket may come from a pid file. The process in a pid file is signalled only if it
 * does not answer at the socket and its start time shows that it wrote the file.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function stopDaemon(context: Context, request: StopRequest): Promise<undefined> {
  // For its process checks; no other part of the daemon is used.
  const daemon = await import('#app/daemon');
  const { pidFile, isNamed } = request;
  const facts = pidFile === undefined ? null : daemon.readPidFile(pidFile);
  const socket = isNamed || facts === null ? request.socket : facts.socket;
  await daemon.checkHostsRespond(socket);
  const { version, say: log } = context;
  const endLeft = () => daemon.endLeft({ socket, user: context, version, log });
  let wasLeft: boolean | 'served' = 'served';
  // The host of a daemon that was killed, or a call, may be starting another one.
  for (let count = 0; wasLeft === 'served' && count < maxDaemons; count++) {
    // The process exits some time after it has removed its files.
    const holder = daemon.claimHolder(socket);
    const isRunning = () => holder !== null && daemon.isAlive(holder);
    try {
      await daemonClient(socket).stopDaemon();
      await untilGone(async () => isRunning() || (await daemon.isServed(socket)), socket);
      // A PTY host that the daemon could not use is still there.
      wasLeft = await endLeft();
    } catch (error) {
      // Without the details that add the hint to start a coordinator.
      const { code, message } = asVtrError(error);
      if (facts !== null && daemon.isAlive(facts)) {
        process.kill(facts.pid, 'SIGTERM');
        await untilGone(async () => daemon.isAlive(facts), socket);
        wasLeft = await endLeft();
      } else {
        wasLeft = isNotRunning(error) && (await endLeft());
        if (!wasLeft) throw new VtrError(code, message);
      }
    }
  }
  context.say(`the coordinator at ${socket} has ended`);
  return undefined;
}

/** @throws VtrError UNAVAILABLE */
async function untilGone(isThere: () => Promise<boolean>, socket: string): Promise<void> {
  for (const lastMs = performance.now() + stopTimeoutMs; performance.now() < lastMs; ) {
    if (!(await isThere())) return;
    await delay(pollMs);
  }
  throw new VtrError('UNAVAILABLE', `the coordinator at ${socket} is still ending its sessions`);
}
