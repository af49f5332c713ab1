import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isNotRunning, startDaemon } from '#app/client';
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
        const withReason = isSilent
          ? { details: { ...details, socket, reason: silentReason } }
          : {};
        throw new VtrError(code, `${message}${notEnded(facts)}`, withReason);
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

/** Saving a thousand sessions takes a second, finding them again two. */
const restartTimeoutMs = 20_000;
const restartPollMs = 10;
/** How often a daemon is replaced while commands of another version start theirs first. */
const maxRestarts = 5;

/**
 * Replaces the daemon at a socket, and waits until the next one serves; starts one if none runs. A
 * daemon with a supervisor is only ended. While none serves, a command of another version may start its own;
 * that one is replaced again.
 *
 * @param flags for a daemon if none runs
 * @throws VtrError UNAVAILABLE
 */
export async function restartDaemon(
  context: Context,
  socket: string,
  flags: readonly string[],
): Promise<undefined> {
  for (let restarts = 1; ; restarts++) {
    if ((await replaceDaemon(context, socket, flags)) === 'ended') {
      context.say(`the daemon at ${socket} has ended with status 75; its sessions continue`);
      return undefined;
    }
    const { pid, version } = await daemonClient(socket, context).daemon();
    if (version === context.version) {
      context.say(`serving at ${socket} (process ${pid})`);
      return undefined;
    }
    if (restarts < maxRestarts) continue;
    throw new VtrError(
      'UNAVAILABLE',
      `vtr ${version} serves at ${socket} again (process ${pid}): a program of that version, such as vtr wait, started it first; end such programs, and repeat vtr serve --restart`,
    );
  }
}

/**
 * @returns `replaced` if another daemon serves now, `ended` if a supervisor starts it
 * @throws VtrError UNAVAILABLE
 */
async function replaceDaemon(
  context: Context,
  socket: string,
  flags: readonly string[],
): Promise<'replaced' | 'ended'> {
  const coordinator = daemonClient(socket, context);
  const before = await coordinator.daemon().catch((error) => {
    if (isNotRunning(error)) return null;
    throw error;
  });
  if (before === null) {
    await startDaemon(context, socket, ...(flags.length > 0 ? [flags] : []));
    return 'replaced';
  }
  const holder = claimHolder(socket);
  const { inForeground } = await coordinator.restartDaemon(context.program).catch((error) => {
    throw cannotRestart(error, before.version, context.version);
  });
  if (inForeground) {
    await until(async () => holder === null || !isAlive(holder), socket);
    return 'ended';
  }
  await until(async () => {
    const { pid } = await coordinator.daemon().catch(() => before);
    return pid !== before.pid;
  }, socket);
  return 'replaced';
}

/** Earlier versions cannot leave their sessions. */
function cannotRestart(error: unknown, running: string, own: string): VtrError {
  const { code, message, details } = asVtrError(error);
  if (running === own) return new VtrError(code, message, { details });
  return new VtrError(
    'UNAVAILABLE',
    `vtr ${running} runs and cannot be restarted by vtr ${own}: ${message}; end it and its sessions with vtr serve --stop`,
  );
}

/** @throws VtrError UNAVAILABLE */
async function until(isDone: () => Promise<boolean>, socket: string): Promise<void> {
  for (const lastMs = performance.now() + restartTimeoutMs; performance.now() < lastMs; ) {
    if (await isDone()) return;
    await delay(restartPollMs);
  }
  const message = `no new daemon serves at ${socket}; see its log, and start one with vtr serve --daemon`;
  throw new VtrError('UNAVAILABLE', message);
}
