import type { Socket } from 'node:net';
import { Outages, ownTimers } from '#base';
import { asVtrError, type Stuck, VtrError } from '#model';

/** The system's reasons for a connection that was not made because no daemon listens. */
const reasons: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);

/** Returns whether a call failed because no daemon runs, so that the call had no effect. */
export function isNotRunning(thrown: unknown): boolean {
  // `instanceof` would fail: the client of the service is a separate bundle with its own class.
  const { code, details } = asVtrError(thrown);
  // While its sessions continue, the client has waited for the next one.
  return code === 'UNAVAILABLE' && details['restarting'] !== true && reasons.has(details['reason']);
}

/** Sessions get 5 s to end, and some time to be killed. */
const endingPatience = { firstPauseMs: 50, maxPauseMs: 50, outageMs: () => 10_000 };

/**
 * Makes a call that creates a session or a lease. A daemon that is ending refuses it until it has ended;
 * its sessions end with it, so a call that broke meanwhile has no effect that lasts.
 *
 * @throws VtrError as the call
 */
export async function afterEnding<T>(call: () => Promise<T>): Promise<T> {
  let wasEnding = false;
  for (const outages = new Outages(ownTimers, endingPatience); ; await outages.pause()) {
    try {
      return await call();
    } catch (error) {
      const { code, details } = asVtrError(error);
      const isEnding = details['stopping'] === true;
      const isBroken = wasEnding && code === 'UNAVAILABLE' && !isNotRunning(error);
      if ((!isEnding && !isBroken) || !outages.lost()) throw error;
      wasEnding = true;
    }
  }
}

/**
 * Makes a call. If no daemon runs, starts one and makes the call once more. Calls that are interrupted
 * are repeated by the client of the service.
 *
 * @param start starts the daemon; returns false where the call may not start one (ADR 0025)
 * @throws VtrError as the call and `start`
 */
export async function callOrStart<T>(
  call: () => Promise<T>,
  start: () => Promise<boolean>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!isNotRunning(error) || !(await start())) throw error;
  }
  try {
    return await call();
  } catch (error) {
    if (!isNotRunning(error)) throw error;
    const message = `${asVtrError(error).message}; the daemon exited right after its start, see its log`;
    throw new VtrError('UNAVAILABLE', message, { cause: error });
  }
}

/**
 * Returns a function that tells why the process that listens at a socket can answer nothing; null if it can.
 *
 * @returns given a connection (a `Socket` of Node) that was not answered for 2 s, and whether it is over
 */
export const daemonStuck =
  (socket: string) =>
  async (connection: object, isOver: () => boolean): Promise<Stuck | null> => {
    // Loaded only if the daemon does not answer.
    const { listenerStuck } = await import('#app/daemon');
    // The declaration needs no types of Node, which a user of the library may not have.
    return listenerStuck(connection as Socket, socket, isOver);
  };

export type IsStuck = ReturnType<typeof daemonStuck>;
