import { setTimeout as delay } from 'node:timers/promises';
import { isNotRunning, startDaemon } from '#app/client';
import { claimHolder, isAlive } from '#app/daemon/start';
import { asVtrError, VtrError } from '#model';
import type { Context } from '../context.ts';
import { daemonClient } from './known-coordinators.ts';

/** Saving a thousand sessions takes a second, finding them again two. */
const restartTimeoutMs = 20_000;
const pollMs = 10;
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
    await delay(pollMs);
  }
  const message = `no new daemon serves at ${socket}; see its log, and start one with vtr serve --daemon`;
  throw new VtrError('UNAVAILABLE', message);
}
