import { randomUUID } from 'node:crypto';
import { type Coordinator, type SessionsWatch, VtrError } from '#model';
import { field } from '../../convert/field.ts';
import { fromFramesRequest, toSessionsEvent } from '../../convert/sessions/watching.ts';
import { toStatus } from '../../errors.ts';
import { accepted, type Handlers } from '../accepted.ts';
import { isRestarting } from '../until-closing.ts';

/** @param closing aborted when the server begins to stop */
export function watchHandlers(
  coordinator: Coordinator,
  closing: AbortSignal,
): Handlers<'watchSessions' | 'setWatchFrames'> {
  const watches = new Map<string, SessionsWatch>();
  return {
    async *watchSessions({ frames, redact }, context) {
      const asked = {
        ...field('frames', frames && fromFramesRequest(frames)),
        ...field('redact', redact),
      };
      const watch = await accepted(context, () => coordinator.watchSessions(asked));
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
  new VtrError('INVALID_ARGUMENT', `there is no watch ${JSON.stringify(watchId)}; open one`, {
    details: { watchId },
  });

const ended = (closing: AbortSignal): VtrError =>
  isRestarting(closing)
    ? new VtrError('UNAVAILABLE', 'the coordinator is being restarted; try again', {
        details: { restarting: true },
      })
    : new VtrError('UNAVAILABLE', 'the coordinator is shutting down; start another one');
