import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { VTR } from '#messages';
import { callAs } from '#model';
import { toStatus } from '../../errors.ts';
import { Lateness } from './late-calls.ts';
import { callKey, clientKey } from './served-connection.ts';

/** Some of the service's methods. */
export type Handlers<Name extends keyof ServiceImpl<typeof VTR>> = Pick<
  ServiceImpl<typeof VTR>,
  Name
>;

/**
 * Calls the coordinator once all earlier calls of the connection were accepted, and others have had their
 * turn. Failures become gRPC statuses. A call whose client has given it up, or has gone, has no effect.
 *
 * @param call must reach the coordinator before it awaits anything
 */
export async function accepted<T>(context: HandlerContext, call: () => Promise<T>): Promise<T> {
  const place = context.values.get(callKey);
  const lateness = new Lateness(context.values);
  try {
    await place?.ready;
    if (lateness.checkable !== null) await lateness.checkable;
    const turn = place?.turn();
    if (turn) await turn;
    context.signal.throwIfAborted();
    lateness.check();
    const answer = callAs(context.values.get(clientKey), call);
    place?.done();
    return await answer;
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    place?.done();
  }
}

/** The reason with which `closing` is aborted if another coordinator takes over the sessions. */
export const restarting = 'restarting';

export const isRestarting = ({ reason }: AbortSignal): boolean => reason === restarting;

/**
 * Resolves when the server begins to stop.
 *
 * @param closing aborted when the server begins to stop
 * @throws the reason of the call's abort, if the call ends first
 */
export function untilClosing(closing: AbortSignal, { signal }: HandlerContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClosing = () => {
      signal.removeEventListener('abort', onLeave);
      resolve();
    };
    const onLeave = () => {
      closing.removeEventListener('abort', onClosing);
      reject(signal.reason);
    };
    if (closing.aborted) return resolve();
    if (signal.aborted) return reject(signal.reason);
    closing.addEventListener('abort', onClosing, { once: true });
    signal.addEventListener('abort', onLeave, { once: true });
  });
}
