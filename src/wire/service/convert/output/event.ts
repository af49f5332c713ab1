import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type SubscribeEvent, SubscribeEventSchema } from '#messages';
import type { ExitStatus, ScreenPlace, SubscriptionEvent } from '#model';
import { exitCodeOf, fromExitStatus, toExitStatus } from '../sessions/session.ts';
import { fromTimestamp, toTimestamp } from '../time.ts';
import { fromPlaced, placedField } from './placed-event.ts';

type EventField = NonNullable<MessageInitShape<typeof SubscribeEventSchema>['event']>;

export function toEvent(event: SubscriptionEvent, field = fieldOf(event)): SubscribeEvent {
  return create(SubscribeEventSchema, {
    event: field,
    revision: BigInt(event.revision),
    at: toTimestamp(event.atMs),
  });
}

function fieldOf(event: SubscriptionEvent): EventField {
  switch (event.type) {
    case 'snapshot': {
      const { size, dump, firstLine, offset } = event;
      const value = { ...size, dump, firstLine: BigInt(firstLine), offset: BigInt(offset) };
      return { case: 'state', value };
    }
    case 'output':
      return { case: 'output', value: { data: event.bytes, offset: BigInt(event.offset) } };
    case 'resize':
      return { case: 'resize', value: { ...event.size, ...toErased(event.erasedFrom) } };
    case 'title':
      return { case: 'title', value: { title: event.title } };
    case 'bell':
      return { case: 'bell', value: { count: event.count } };
    case 'exit':
      return { case: 'sessionExited', value: toExited(event.status) };
    default:
      return placedField(event);
  }
}

const toErased = (place: ScreenPlace | undefined) =>
  place === undefined ? {} : { erasedRow: place.row, erasedCol: place.col };

const toExited = (status: ExitStatus) => ({
  exitCode: exitCodeOf(status),
  exitStatus: toExitStatus(status),
});

/** Null for events that `Coordinator.subscribe` does not have, and for those of a later version. */
export function fromEvent({ event, revision, at }: SubscribeEvent): SubscriptionEvent | null {
  const stamp = { revision: Number(revision), atMs: fromTimestamp(at) };
  switch (event.case) {
    case 'state': {
      const { cols, rows, dump, firstLine, offset } = event.value;
      const numbers = { firstLine: Number(firstLine), offset: Number(offset) };
      return { type: 'snapshot', ...stamp, size: { cols, rows }, dump, ...numbers };
    }
    case 'output': {
      const { data, offset } = event.value;
      return { type: 'output', ...stamp, offset: Number(offset), bytes: data };
    }
    case 'resize': {
      const { cols, rows, erasedRow: row, erasedCol: col } = event.value;
      const erased = row === undefined || col === undefined ? {} : { erasedFrom: { row, col } };
      return { type: 'resize', ...stamp, size: { cols, rows }, ...erased };
    }
    case 'title':
      return { type: 'title', ...stamp, title: event.value.title };
    case 'bell':
      return { type: 'bell', ...stamp, count: event.value.count };
    case 'sessionExited': {
      const status = fromExitStatus(event.value.exitStatus) ?? { code: null, signal: null };
      return { type: 'exit', ...stamp, status };
    }
    default:
      return fromPlaced(event, stamp);
  }
}
