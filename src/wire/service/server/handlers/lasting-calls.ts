import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { ignored, quoted } from '#base';
import {
  type PublishRequest,
  type PublishResponse,
  PublishResponseSchema,
  type UpdateViewRequest,
  type ViewResponse,
} from '#messages';
import {
  type Coordinator,
  defaultQuietMs,
  type Publication,
  type SessionsWatch,
  type Viewing,
  VtrError,
  type WaitOptions,
  type WaitRequest,
  type WaitResult,
} from '#model';
import { fromNamed, fromViewFields, type Named, toViewResponse } from '../../convert/driver.ts';
import { field, fieldsOf, msField } from '../../convert/field.ts';
import { fromFramesRequest, toSessionsEvent } from '../../convert/frame.ts';
import { fromExitStatus, fromPublishedSession, toSession } from '../../convert/session.ts';
import { toMatch, toWaitEnd } from '../../convert/wait.ts';
import { toStatus } from '../../errors.ts';
import { accepted, type Handlers, isRestarting } from '../limits/accepted.ts';
import { callKey, handledKey } from '../limits/served-connection.ts';

/**
 * A viewing lasts as long as the stream that opened it, unless a client that has its id closes it
 * earlier.
 *
 * @param closing aborted when the server begins to stop
 */
export function driverHandlers(
  coordinator: Coordinator,
  closing: AbortSignal,
): Handlers<'view' | 'updateView' | 'closeView'> {
  const viewings = new Map<string, Viewing>();
  return {
    async *view(request, context) {
      const view = () => coordinator.view(fromNamed(request), fromViewFields(request));
      const viewing = await accepted(context, view);
      viewings.set(viewing.id, viewing);
      try {
        yield* untilEnd(viewing, closing, context);
      } finally {
        if (viewings.get(viewing.id) === viewing) viewings.delete(viewing.id);
        // The next coordinator keeps it for its owner.
        if (!isRestarting(closing))
          await ignored(viewing.dispose(), 'the session may have been removed');
      }
    },
    async updateView(request, context) {
      await accepted(context, () => update(viewings.get(request.viewId), request));
      return {};
    },
    async closeView({ viewId }, context) {
      await accepted(context, async () => viewings.get(viewId)?.dispose());
      return {};
    },
  };
}

async function update(
  viewing: Viewing | undefined,
  { viewId, change }: UpdateViewRequest,
): Promise<void> {
  if (viewing === undefined) {
    const message = `there is no viewing ${quoted(viewId)}; it has ended`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (change.case === 'take') return viewing.take({ force: change.value.force });
  if (change.case === 'give') return viewing.give(fieldsOf(change.value, 'note', 'to'));
  if (change.case === 'size') {
    const { cols, rows } = change.value;
    return viewing.resize({ cols, rows });
  }
  if (change.case === 'looking') return viewing.look(change.value);
  throw new VtrError('INVALID_ARGUMENT', 'the change of a viewing is take, give, size or looking');
}

/** Reports the states of a viewing until it, its call or the server ends. */
async function* untilEnd(
  viewing: Viewing,
  closing: AbortSignal,
  { signal }: HandlerContext,
): AsyncGenerator<ViewResponse> {
  const states = viewing[Symbol.asyncIterator]();
  const leave = () => void states.return?.();
  for (const each of [signal, closing]) each.addEventListener('abort', leave);
  try {
    for (;;) {
      const { done, value } = await states.next();
      if (signal.aborted) throw signal.reason;
      if (closing.aborted) throw unavailable(isRestarting(closing));
      if (done) return;
      yield toViewResponse(viewing.id, value);
    }
  } catch (error) {
    throw toStatus(error);
  } finally {
    for (const each of [signal, closing]) each.removeEventListener('abort', leave);
    leave();
  }
}

const unavailable = (restarting: boolean): VtrError =>
  restarting
    ? new VtrError('UNAVAILABLE', 'the coordinator is being restarted', {
        details: { restarting: true },
      })
    : new VtrError('UNAVAILABLE', 'the coordinator is shutting down');

/** @param closing aborted when the server begins to stop */
export function watchHandlers(
  coordinator: Coordinator,
  closing: AbortSignal,
): Handlers<'watchSessions' | 'setWatchFrames'> {
  const watches = new Map<string, SessionsWatch>();
  return {
    async *watchSessions({ frames, redact }, context) {
      const options = {
        ...field('frames', frames && fromFramesRequest(frames)),
        ...field('redact', redact),
      };
      const watch = await accepted(context, () => coordinator.watchSessions(options));
      const id = randomUUID();
      watches.set(id, watch);
      const leave = () => watch.dispose();
      const signals = [closing, context.signal];
      for (const each of signals) each.addEventListener('abort', leave, { once: true });
      if (signals.some(({ aborted }) => aborted)) leave();
      try {
        // The next event is made when the client has received the last one.
        for await (const event of watch) {
          yield toSessionsEvent(event, event.type === 'sessions' ? id : '');
        }
        throw context.signal.aborted ? context.signal.reason : ended(closing);
      } catch (error) {
        throw toStatus(error);
      } finally {
        for (const each of signals) each.removeEventListener('abort', leave);
        watches.delete(id);
        leave();
      }
    },
    async setWatchFrames({ watchId, frames }, context) {
      await accepted(context, async () => {
        const watch = watches.get(watchId);
        if (watch === undefined) throw unknownWatch(watchId);
        await watch.setFrames(frames === undefined ? null : fromFramesRequest(frames));
      });
      return {};
    },
  };
}

const unknownWatch = (watchId: string): VtrError =>
  new VtrError('INVALID_ARGUMENT', `there is no watch ${quoted(watchId)}; open one`, {
    details: { watchId },
  });

const ended = (closing: AbortSignal): VtrError =>
  isRestarting(closing)
    ? new VtrError('UNAVAILABLE', 'the coordinator is being restarted; try again', {
        details: { restarting: true },
      })
    : new VtrError('UNAVAILABLE', 'the coordinator is shutting down; start another one');

/** The specification's three waits. */
export function waitHandlers(
  coordinator: Coordinator,
): Handlers<'waitFor' | 'waitForIdle' | 'waitForExit'> {
  const wait = (named: Named, request: WaitRequest, context: HandlerContext) =>
    accepted(context, () => coordinator.wait(fromNamed(named), request));
  return {
    async waitFor(request, context) {
      const options = { match: [request.pattern], ...withoutOutput(request, context) };
      const result = await wait(request, options, context);
      const match = result.match === undefined ? {} : toMatch(result.match);
      return { matched: result.outcome === 'matched', ...match, ...endOf(result) };
    },
    async waitForIdle(request, context) {
      const options = {
        quietMs: defaultQuietMs,
        ...msField('quietMs', request.idleDuration),
        ...withoutOutput(request, context),
      };
      const result = await wait(request, options, context);
      return { idle: result.outcome === 'idle', ...endOf(result) };
    },
    async waitForExit(request, context) {
      return { end: toWaitEnd(await wait(request, withoutOutput(request, context), context)) };
    },
  };
}

/** Options of a wait whose answer has no output. */
const withoutOutput = (
  { timeout }: { readonly timeout?: Parameters<typeof msField>[1] },
  { signal }: HandlerContext,
): WaitOptions & Pick<WaitRequest, 'tail'> => ({
  ...msField('timeoutMs', timeout),
  signal,
  tail: { maxLines: 0 },
});

const endOf = (result: WaitResult) => ({
  timedOut: result.outcome === 'timed_out',
  end: toWaitEnd(result),
});

/** How long calls of the same connection wait for the first message, in ms. */
const firstMs = 100;

/** Publishes a session that the client feeds until its stream ends, one message at a time. */
export async function* publish(
  coordinator: Coordinator,
  requests: AsyncIterable<PublishRequest>,
  context: HandlerContext,
): AsyncIterable<PublishResponse> {
  const steps = requests[Symbol.asyncIterator]();
  const { value: first } = await inPlace(steps.next(), context);
  const publication = await opened(coordinator, first, context);
  try {
    yield create(PublishResponseSchema, { session: toSession(publication.session) });
    for (;;) {
      const { done, value } = await steps.next();
      if (done) return;
      await apply(publication, value);
      context.values.get(handledKey)();
      yield create(PublishResponseSchema);
    }
  } catch (error) {
    throw context.signal.aborted ? toStatus(context.signal.reason) : toStatus(error);
  } finally {
    await publication.close();
  }
}

/** Waits for the first message. Calls after this one wait for it only if it was sent with the call. */
async function inPlace<T>(first: Promise<T>, context: HandlerContext): Promise<T> {
  const leave = () => context.values.get(callKey)?.done();
  const timer = setTimeout(() => setImmediate(leave), firstMs);
  try {
    return await first;
  } finally {
    clearTimeout(timer);
  }
}

function opened(
  coordinator: Coordinator,
  first: PublishRequest | undefined,
  context: HandlerContext,
): Promise<Publication> {
  return accepted(context, async () => {
    if (first?.step.case === 'open') {
      return coordinator.publish(fromPublishedSession(first.step.value));
    }
    throw new VtrError('INVALID_ARGUMENT', 'the first message opens the session');
  });
}

async function apply(publication: Publication, { step }: PublishRequest): Promise<void> {
  switch (step.case) {
    case 'output':
      return publication.write(step.value);
    case 'size':
      return publication.resize({ cols: step.value.cols, rows: step.value.rows });
    case 'exit':
      return publication.exit(fromExitStatus(step.value) ?? { code: null, signal: null });
    default:
      throw new VtrError(
        'INVALID_ARGUMENT',
        'a message after the first contains output, size or exit',
      );
  }
}
