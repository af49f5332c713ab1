import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isNotRunning } from '#app/client';
import { checkHostsRespond, claimHolder, isAlive, isServed, readPidFile } from '#app/daemon/start';
import { areSessionsLeft, directoryProblem } from '#config';
import { asVtrError, silentReason, VtrError } from '#model';
import type { Context } from '../context.ts';
import { daemonClient } from './known-coordinators.ts';

/** Sessions get 5 s to end, and some time to be killed. */
const stopTimeoutMs = 15_000;
const pollMs = 20;
/** Daemons that are ended one after the other. */
const maxDaemons = 5;

/** The reasons of a connection that was made, and broke. */
const brokenOff: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'DISCONNECTED']);

/** A process, distinct from a later one with the same pid. */
interface Identity {
  readonly pid: number;
  readonly start: number;
}

export interface StopRequest {
  readonly socket: string;
  /** The socket was given by a flag, so that the one in the pid file is ignored. */
  readonly isNamed: boolean;
  readonly pidFile?: string;
}

/**
 * Ends a daemon through its socket, and waits for its exit. Also ends the sessions that a killed
 * daemon left. The socket may come from a pid file. The process in a pid file is signalled only if it
 * does not answer at the socket and has the claim of the socket, which is in a private directory: anyone
 * can write a pid file.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function stopDaemon(context: Context, request: StopRequest): Promise<undefined> {
  const { pidFile, isNamed } = request;
  const facts = pidFile === undefined ? null : readPidFile(pidFile);
  const socket = isNamed || facts === null ? request.socket : facts.socket;
  await checkHostsRespond(socket);
  const { version, say: log } = context;
  // What a killed daemon left is ended by the code of the daemon, which is large.
  const endLeft = async () =>
    (await areSessionsLeft(context, socket)) &&
    (await import('#app/daemon')).endLeft({ socket, user: context, version, log });
  let wasLeft: boolean | 'served' = 'served';
  // The host of a daemon that was killed, or a call, may be starting another one.
  for (let count = 1; wasLeft === 'served' && count <= maxDaemons; count++) {
    // The process exits some time after it has removed its files.
    const holder = claimHolder(socket);
    const isRunning = () => holder !== null && isAlive(holder);
    try {
      await daemonClient(socket, context).stopDaemon();
      await untilGone(async () => isRunning() || (await isServed(socket)), socket);
      // A PTY host that the daemon could not use is still there.
      wasLeft = await endLeft();
    } catch (error) {
      const { code, message, details } = asVtrError(error);
      // It was killed meanwhile, and its host may be starting another one.
      if (brokenOff.has(details['reason']) && count < maxDaemons) {
        await delay(pollMs);
        continue;
      }
      if (facts !== null && holder !== null && isSame(facts, holder) && isPrivate(socket)) {
        process.kill(facts.pid, 'SIGTERM');
        await untilGone(async () => isAlive(holder), socket);
        wasLeft = await endLeft();
      } else {
        wasLeft = isNotRunning(error) && (await endLeft());
        if (wasLeft) continue;
        // Without the details that add the hint to start a coordinator. One that has claimed the socket hangs.
        const isSilent = details['reason'] === silentReason || isRunning();
        const known = isSilent ? { details: { ...details, socket, reason: silentReason } } : {};
        throw new VtrError(code, `${message}${notEnded(facts)}`, known);
      }
    }
  }
  context.say(`the coordinator at ${socket} has ended`);
  return undefined;
}

const isSame = (one: Identity, other: Identity): boolean =>
  one.pid === other.pid && one.start === other.start;

/** Whether no other user can write a claim file. */
const isPrivate = (socket: string): boolean =>
  directoryProblem(dirname(socket), { isGroupOpen: true }) === null;

const notEnded = (facts: Identity | null): string =>
  facts === null
    ? ''
    : `; process ${facts.pid} of the pid file is not its daemon and was left alone`;

/** @throws VtrError UNAVAILABLE */
async function untilGone(isThere: () => Promise<boolean>, socket: string): Promise<void> {
  for (const lastMs = performance.now() + stopTimeoutMs; performance.now() < lastMs; ) {
    if (!(await isThere())) return;
    await delay(pollMs);
  }
  throw new VtrError('UNAVAILABLE', `the coordinator at ${socket} is still ending its sessions`);
}
