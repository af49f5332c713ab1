import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import * as wire from '#messages';
import {
  asVtrError,
  type Driver,
  type DriverState,
  type GiveRequest,
  type Sender,
  type SessionRef,
  type SizedBy,
  type TakeRequest,
  type Viewer,
  type ViewingState,
  type ViewRequest,
  VtrError,
} from '#model';
import { enumOf, field, fieldsOf, fromTimestamp, toTimestamp, wordOf } from './field.ts';

interface SenderFields {
  readonly viewer?: string | undefined;
  readonly driverEpoch?: number | undefined;
  readonly by?: string | undefined;
}

/** The fields of each request with input that tell who sends it. */
export const toSenderFields = ({ viewer, driverEpoch, by }: Sender) => ({
  ...defined({ viewer, driverEpoch, by }),
});

/** The same from the wire. */
export const fromSenderFields = ({ viewer, driverEpoch, by }: SenderFields): Sender => ({
  ...defined({ viewer, driverEpoch, by }),
});

export const toDriver = ({
  kind,
  name,
  sinceMs,
  epoch,
  untilMs,
  holds,
  handedBy,
}: Driver): wire.Driver =>
  create(wire.DriverSchema, {
    kind: enumOf('DriverKind', kind),
    name,
    epoch,
    ...defined({ holds, handedBy }),
    since: toTimestamp(sinceMs),
    until: toTimestamp(untilMs),
  });

export const fromDriver = (message: wire.Driver): Driver => ({
  // A kind that only a later version knows counts as a person, so that no person is overlooked.
  kind: wordOf('DriverKind', message.kind) ?? 'person',
  name: message.name,
  sinceMs: fromTimestamp(message.since),
  epoch: message.epoch,
  untilMs: fromTimestamp(message.until),
  ...(message.holds && { holds: true as const }),
  ...fieldsOf(message, 'handedBy'),
});

export const toDriverState = ({
  driver,
  epoch,
  note,
  mark,
  askedBy,
  sizedBy,
}: DriverState): wire.DriverState =>
  create(wire.DriverStateSchema, {
    epoch,
    ...field('driver', driver && toDriver(driver)),
    ...defined({ note, mark, askedBy, sizedBy }),
  });

export const fromDriverState = (message: wire.DriverState): DriverState => ({
  driver: message.driver === undefined ? null : fromDriver(message.driver),
  epoch: message.epoch,
  ...fieldsOf(message, 'note', 'mark', 'askedBy'),
  ...field('sizedBy', message.sizedBy && fromSizedBy(message.sizedBy)),
});

const fromSizedBy = ({ name, cols, rows }: wire.SizedBy): SizedBy => ({ name, cols, rows });

export const toViewer = ({
  name,
  kind,
  sinceMs,
  size,
  away,
  watches,
  readOnly,
}: Viewer): wire.Viewer =>
  create(wire.ViewerSchema, {
    name,
    ...size,
    kind: enumOf('ViewerKind', kind),
    since: toTimestamp(sinceMs),
    ...defined({ away, watches, readOnly }),
  });

export const fromViewer = ({
  name,
  kind,
  since,
  cols,
  rows,
  away,
  watches,
  readOnly,
}: wire.Viewer): Viewer => ({
  name,
  kind: wordOf('ViewerKind', kind) ?? 'attach',
  sinceMs: fromTimestamp(since),
  size: { cols, rows },
  ...defined({
    away: away || undefined,
    watches: watches || undefined,
    readOnly: readOnly || undefined,
  }),
});

export const toTakeFields = ({ name, force = false, note }: TakeRequest) => ({
  ...field('person', name),
  force,
  ...field('note', note),
});

export const fromTakeFields = ({ person, force, note }: wire.TakeDriverRequest): TakeRequest => ({
  ...field('name', person),
  force,
  ...field('note', note),
});

export const toGiveFields = ({ name, note, to, epoch }: GiveRequest) => ({
  ...field('person', name),
  ...defined({ note, to, epoch }),
});

export const fromGiveFields = ({
  person,
  note,
  to,
  epoch,
}: wire.GiveDriverRequest): GiveRequest => ({
  ...field('name', person),
  ...defined({ note, to, epoch }),
});

export const toViewFields = ({
  name,
  kind,
  size,
  as,
  id,
  looking,
  sizing,
  readOnly,
}: ViewRequest): MessageInitShape<typeof wire.ViewRequestSchema> => ({
  ...field('person', name),
  kind: enumOf('ViewerKind', kind),
  cols: size.cols,
  rows: size.rows,
  as: enumOf('ViewAs', as),
  ...field('viewId', id),
  ...defined({ looking, readOnly }),
  sizing: enumOf('Sizing', sizing),
});

export const fromViewFields = (message: wire.ViewRequest): ViewRequest => ({
  ...field('name', message.person),
  kind: wordOf('ViewerKind', message.kind) ?? 'attach',
  size: { cols: message.cols, rows: message.rows },
  ...field('as', wordOf('ViewAs', message.as)),
  ...field('id', message.viewId),
  ...fieldsOf(message, 'looking'),
  ...field('sizing', wordOf('Sizing', message.sizing)),
  ...(message.readOnly && { readOnly: true }),
});

export const toViewResponse = (
  viewId: string,
  { drives, holds, name, viewers, ...state }: ViewingState,
): wire.ViewResponse =>
  create(wire.ViewResponseSchema, {
    viewId,
    drives,
    ...defined({ holds }),
    person: name,
    state: toDriverState(state),
    viewers: viewers.map(toViewer),
  });

export const fromViewResponse = ({
  state,
  drives,
  holds,
  person: name,
  viewers,
}: wire.ViewResponse): ViewingState => ({
  ...(state === undefined ? { driver: null, epoch: 1 } : fromDriverState(state)),
  drives,
  ...(holds && { holds: true as const }),
  name,
  viewers: viewers.map(fromViewer),
});

/** The session that a request names. With an empty `sessionId`, the name alone identifies it. */
export interface Named {
  readonly name: string;
  readonly sessionId: string;
}

export const toNamed = (ref: SessionRef): Named =>
  typeof ref === 'string' ? { name: ref, sessionId: '' } : { name: ref.name, sessionId: ref.id };

export const fromNamed = ({ name, sessionId: id }: Named): SessionRef =>
  id === '' ? name : { name, id };

const nameOf = (ref: SessionRef): string => (typeof ref === 'string' ? ref : ref.name);

/** Puts the session's name before a message, as the coordinator does. */
export const aboutSession = (ref: SessionRef, message: string): string =>
  `session ${nameOf(ref)}: ${message}`;

/** Returns what `check` returns; its failure names the session, as the coordinator's would. */
export function checked<T>(ref: SessionRef, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const { code, message, details } = asVtrError(error);
    throw new VtrError(code, aboutSession(ref, message), {
      details: { name: nameOf(ref), ...details },
    });
  }
}
