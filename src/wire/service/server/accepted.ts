import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest, type Http2Session } from 'node:http2';
import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import { CallOrder, type Turn } from '../call-order.ts';
import { toStatus } from '../errors.ts';
import { VTR } from '../gen/vtr.gen.ts';

/** Some of the service's methods. */
export type Handlers<Name extends keyof ServiceImpl<typeof VTR>> = Pick<
  ServiceImpl<typeof VTR>,
  Name
>;

const turnKey = createContextKey<Turn | null>(null);

/**
 * Gives each call of a connection its turn when its stream opens, before its message has come: a
 * message of a megabyte is complete long after a small one that was sent behind it.
 */
export function callOrderByConnection(): (
  request: IncomingMessage | Http2ServerRequest,
) => ContextValues {
  const connections = new WeakMap<Http2Session, CallOrder>();
  return (request) => {
    const values = createContextValues();
    const session = request instanceof Http2ServerRequest ? request.stream.session : undefined;
    // A connection of HTTP/1.1 carries one call at a time.
    if (session === undefined || !request.url?.startsWith(`/${VTR.typeName}/`)) return values;
    const turns = connections.get(session) ?? new CallOrder();
    connections.set(session, turns);
    const turn = turns.take();
    // However the call ends, and whether or not it ever reached us whole.
    request.once('close', turn.done);
    return values.set(turnKey, turn);
  };
}

/**
 * Makes a call of the port when its turn has come, and says failures as statuses.
 *
 * @param call must reach the port before it waits for anything
 */
export async function accepted<T>(context: HandlerContext, call: () => Promise<T>): Promise<T> {
  const turn = context.values.get(turnKey);
  try {
    await turn?.ready;
    // Withdrawn before it was accepted: as if it had never been made.
    context.signal.throwIfAborted();
    const answer = call();
    turn?.done();
    return await answer;
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    turn?.done();
  }
}
