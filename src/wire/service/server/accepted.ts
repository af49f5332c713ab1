import type { IncomingMessage } from 'node:http';
import { Http2ServerRequest, type Http2Session } from 'node:http2';
import {
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
} from '@connectrpc/connect';
import { CallOrder, type OrderedCall } from '../call-order.ts';
import { toStatus } from '../errors.ts';
import { VTR } from '../gen/vtr.gen.ts';
import { Lateness, noteArrival } from './late-calls.ts';

/** Some of the service's methods. */
export type Handlers<Name extends keyof ServiceImpl<typeof VTR>> = Pick<
  ServiceImpl<typeof VTR>,
  Name
>;

/** A call's place among those of its connection. */
export const orderKey = createContextKey<OrderedCall | null>(null);

/**
 * Records the order of a connection's calls when their streams open, before their messages have been
 * received: a message of a megabyte is complete long after a small one that was sent after it.
 */
export function callOrderByConnection(): (
  request: IncomingMessage | Http2ServerRequest,
) => ContextValues {
  const connections = new WeakMap<Http2Session, CallOrder>();
  return (request) => {
    const values = createContextValues();
    noteArrival(values, request);
    const session = request instanceof Http2ServerRequest ? request.stream.session : undefined;
    // A connection of HTTP/1.1 carries one call at a time.
    if (session === undefined || !request.url?.startsWith(`/${VTR.typeName}/`)) return values;
    const order = connections.get(session) ?? new CallOrder();
    connections.set(session, order);
    const ordered = order.add();
    // Also when the call fails, or was never received completely.
    request.once('close', ordered.done);
    return values.set(orderKey, ordered);
  };
}

/**
 * Calls the coordinator once all earlier calls of the connection were accepted. Failures become gRPC
 * statuses. A call whose client has given it up, or has gone, has no effect.
 *
 * @param call must reach the coordinator before it awaits anything
 */
export async function accepted<T>(context: HandlerContext, call: () => Promise<T>): Promise<T> {
  const ordered = context.values.get(orderKey);
  const lateness = new Lateness(context.values);
  try {
    await ordered?.ready;
    if (lateness.known !== null) await lateness.known;
    context.signal.throwIfAborted();
    lateness.check();
    const answer = call();
    ordered?.done();
    return await answer;
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    ordered?.done();
  }
}
