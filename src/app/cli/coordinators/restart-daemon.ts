import { setTimeout as delay } from 'node:timers/promises';
import { isNotRunning, startDaemon } from '#app/client';
import { claimHolder, isAlive } from '#app/daemon/start';
import { asVtrError, VtrError } from '#model';
import type { Context } from '../context.ts';
import { daemonClient } from './known-coordinators.ts';

/** Saving a thousand sessions takes a second, finding them again two. */
const restartTimeoutMs = 20_000;
const pollMs = 10;

/**
 * Replaces the daemon at a socket, and waits until the next one serves; starts one if none runs. A
 * daemon with a supervisor is only ended.
 *
 * @param flags for a daemon if none runs
 * @throws VtrError UNAVAILABLE
 */
export async function restartDaemon(
  context: Context,
  socket: string,
  flags: readonly string[],
): Promise<undefined> {
  const coordinator = daemonClient(socket, context);
  const before = await coordinator.daemon().catch((error) => {
    if (isNotRunning(error)) return null;
    throw error;
  });
  if (before === null) {
    const { pid } = await startDaemon(context, socket, ...(flags.length > 0 ? [flags] : []));
    context.say(`serving at ${socket} (process ${pid})`);
    return undefined;
  }
  const holder = claimHolder(socket);
  const { inForeground } = await coordinator.restartDaemon(context.program).catch((error) => {
    throw cannotRestart(error, before.version, context.version);
  });
  if (inForeground) {
    await until(async () => holder === null || !isAlive(holder), socket);
    context.say(`the daemon at ${socket} has ended with status 75; its sessions continue`);
    return undefined;
  }
  let pid = before.pid;
  await until(async () => {
    ({ pid } = await coordinator.daemon().catch(() => before));
    return pid !== before.pid;
  }, socket);
  context.say(`serving at ${socket} (process ${pid})`);
  return undefined;
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
