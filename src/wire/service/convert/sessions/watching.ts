import { create, type MessageInitShape } from '@bufbuild/protobuf';
import * as wire from '#messages';
import { checkPerSecond, type FramesRequest, type SessionsEvent } from '#model';
import { fromFrame, toFrame } from '../output/frame.ts';
import { checkName, fromSession, toSession } from './session.ts';
import { fromNamed, toNamed } from './session-ref.ts';

/** @throws VtrError INVALID_ARGUMENT */
export const toFramesRequest = (
  request: FramesRequest,
): MessageInitShape<typeof wire.WatchedFramesSchema> => ({
  sessions: request.sessions.map(toNamed),
  perSecond: checkPerSecond(request),
});

export const fromFramesRequest = ({ sessions, perSecond }: wire.WatchedFrames): FramesRequest => ({
  sessions: sessions.map(fromNamed),
  ...(perSecond === 0 ? {} : { perSecond }),
});

export const toSessionsEvent = (
  event: SessionsEvent,
  watchId: string,
): wire.WatchSessionsResponse =>
  create(wire.WatchSessionsResponseSchema, { event: fieldOf(event), watchId });

type EventField = NonNullable<MessageInitShape<typeof wire.WatchSessionsResponseSchema>['event']>;

function fieldOf(event: SessionsEvent): EventField {
  switch (event.type) {
    case 'sessions':
      return { case: 'sessions', value: { sessions: event.sessions.map(toSession) } };
    case 'session':
      return { case: 'session', value: toSession(event.session) };
    case 'removed':
      return { case: 'removed', value: { sessionId: event.id, name: event.name } };
    case 'frame':
      return { case: 'frame', value: toFrame(event.id, event.frame) };
  }
}

/** Null for an event of a later version. */
export function fromSessionsEvent({ event }: wire.WatchSessionsResponse): SessionsEvent | null {
  switch (event.case) {
    case 'sessions':
      return { type: 'sessions', sessions: event.value.sessions.map(fromSession) };
    case 'session':
      return { type: 'session', session: fromSession(event.value) };
    case 'removed':
      checkName(event.value.name);
      return { type: 'removed', id: event.value.sessionId, name: event.value.name };
    case 'frame':
      return { type: 'frame', id: event.value.sessionId, frame: fromFrame(event.value) };
    default:
      return null;
  }
}
