import type { HandlerContext } from '@connectrpc/connect';
import type { UpdateViewRequest, ViewResponse } from '#messages';
import { type Coordinator, type Viewing, VtrError } from '#model';
import { field } from '../../convert/field.ts';
import { fromViewFields, toViewResponse } from '../../convert/sessions/driver.ts';
import { fromNamed } from '../../convert/sessions/session-ref.ts';
import { toStatus } from '../../errors.ts';
import { accepted, type Handlers } from '../accepted.ts';
import { isRestarting } from '../until-closing.ts';

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
        if (!isRestarting(closing)) await viewing.dispose().catch(() => {});
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
    const message = `there is no viewing ${JSON.stringify(viewId)}; it has ended`;
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  if (change.case === 'take') return viewing.take({ force: change.value.force });
  if (change.case === 'give') return viewing.give(field('note', change.value.note));
  if (change.case === 'size') {
    const { cols, rows } = change.value;
    return viewing.resize({ cols, rows });
  }
  throw new VtrError('INVALID_ARGUMENT', 'the change of a viewing is take, give or size');
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
