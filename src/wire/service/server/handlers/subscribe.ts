import type { HandlerContext } from '@connectrpc/connect';
import type { SubscribeEvent, SubscribeRequest } from '#messages';
import type { Coordinator, ScreenRequest, SessionRef, Subscription } from '#model';
import { field } from '../../convert/field.ts';
import { toEvent } from '../../convert/output/event.ts';
import { fromSubscribeFields } from '../../convert/output/subscription.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { toStatus } from '../../errors.ts';
import { accepted } from '../accepted.ts';
import { ScreenFeed } from './screen-feed.ts';
import { screenUpdates } from './screen-updates.ts';

/**
 * Yields the events that a subscriber requested until the session ends or the subscriber leaves. The
 * next event is read when the client has received the last one; each source limits its own queue.
 */
export async function* subscribe(
  coordinator: Coordinator,
  request: SubscribeRequest,
  context: HandlerContext,
  maxSnapshots: number,
): AsyncIterable<SubscribeEvent> {
  const session = fromNamed(request);
  const { name, includeScreenUpdates, changedRowsOnly } = request;
  // Both in one accepted call, so that they begin at the same state.
  const [events, changes] = await accepted(context, () =>
    Promise.all([
      subscribeTo(coordinator, session, request),
      // Its snapshots are taken by `screen`.
      includeScreenUpdates ? coordinator.subscribe(session, { scrollbackLines: 0 }) : null,
    ]),
  );
  const sources = [outputEvents(events, request)];
  if (changes !== null) {
    const screen = (asked: ScreenRequest) =>
      coordinator.screen(session, { ...asked, ...field('redact', request.redact) });
    const snapshots = new ScreenFeed(screen, changes, maxSnapshots);
    sources.push(screenUpdates(name, snapshots, changedRowsOnly));
  }
  const leave = () => {
    events.dispose();
    changes?.dispose();
  };
  context.signal.addEventListener('abort', leave);
  try {
    let exit: SubscribeEvent | null = null;
    for await (const event of merge(sources)) {
      if (event.event.case === 'sessionExited') exit = event;
      else yield event;
    }
    context.signal.throwIfAborted();
    if (exit !== null) yield exit;
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    context.signal.removeEventListener('abort', leave);
    leave();
  }
}

/**
 * Raw output without events begins at a mark: it has no state, and no output may be in a state that is
 * made later.
 */
async function subscribeTo(
  coordinator: Coordinator,
  session: SessionRef,
  request: SubscribeRequest,
): Promise<Subscription> {
  const fields = fromSubscribeFields(request);
  const { includeEvents, includeRawOutput } = request;
  if (includeEvents || !includeRawOutput) return coordinator.subscribe(session, fields);
  const since = await coordinator.mark(session);
  return coordinator.subscribe(session, { ...fields, since });
}

/** The session's events that were requested, and always the exit. */
async function* outputEvents(
  events: Subscription,
  { includeEvents, includeRawOutput }: SubscribeRequest,
): AsyncIterable<SubscribeEvent> {
  let began = false;
  for await (const event of events) {
    const { type } = event;
    if (includeEvents || type === 'exit') yield toEvent(event);
    else if (includeRawOutput && type === 'output') {
      yield toEvent(event, { case: 'rawOutput', value: event.bytes });
    } else if (includeRawOutput && type === 'snapshot' && began) {
      // Output was dropped: the state after it replaces it.
      yield toEvent(event);
    }
    began = true;
  }
}

/** Yields the values of several sources as they arrive, until all have ended. A failing one ends all. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = (iterator: AsyncIterator<T>) =>
    iterator.next().then((result) => ({ iterator, result }));
  const pending = new Map(iterators.map((iterator) => [iterator, next(iterator)]));
  try {
    while (pending.size > 0) {
      const { iterator, result } = await Promise.race(pending.values());
      // Requeued last: a source that always has a value must not starve the others.
      pending.delete(iterator);
      if (result.done) continue;
      pending.set(iterator, next(iterator));
      yield result.value;
    }
  } finally {
    // The call is not awaited: a source returns only after its pending value.
    for (const iterator of pending.keys()) iterator.return?.().catch(() => {});
    for (const each of pending.values()) each.catch(() => {});
  }
}
