import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  GiveDriverRequestSchema,
  SessionSchema,
  TakeDriverRequestSchema,
  ViewRequestSchema,
  ViewResponseSchema,
} from '#messages';
import {
  type Driver,
  type DriverState,
  sizings,
  type TakeRequest,
  type Viewer,
  type ViewRequest,
} from '#model';
import {
  fromGiveFields,
  fromTakeFields,
  fromViewFields,
  fromViewResponse,
  toGiveFields,
  toTakeFields,
  toViewFields,
  toViewResponse,
} from './driver.ts';
import { fromSession, toSession } from './session.ts';

const optional = { requiredKeys: [] as [] };
const ms = fc.nat({ max: 2 ** 41 });
const text = fc.string();
const epoch = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const size = fc.record({ cols: fc.nat(), rows: fc.nat() });
const driver: fc.Arbitrary<Driver> = fc.record(
  {
    kind: fc.constantFrom('agent', 'person'),
    name: text,
    sinceMs: ms,
    epoch,
    untilMs: ms,
    handedBy: text,
  },
  { requiredKeys: ['kind', 'name', 'sinceMs', 'epoch', 'untilMs'] },
);
const state: fc.Arbitrary<DriverState> = fc.record(
  { driver: fc.option(driver), epoch, note: text, mark: text, askedBy: text },
  { requiredKeys: ['driver', 'epoch'] },
);
const kind = fc.constantFrom('attach', 'web', 'ui');
const viewer: fc.Arbitrary<Viewer> = fc.record(
  {
    name: text,
    kind,
    sinceMs: ms,
    size,
    away: fc.constant(true as const),
    watches: fc.constant(true as const),
    readOnly: fc.constant(true as const),
  },
  { requiredKeys: ['name', 'kind', 'sinceMs', 'size'] },
);

it('the wire preserves the states of a viewing', () => {
  const property = fc.property(
    state,
    fc.boolean(),
    fc.array(viewer),
    (original, drives, viewers) => {
      const reported = { ...original, drives, name: 'ann', viewers };
      const bytes = toBinary(ViewResponseSchema, toViewResponse('id', reported));
      const received = fromBinary(ViewResponseSchema, bytes);
      expect(received.viewId).toBe('id');
      expect(fromViewResponse(received)).toEqual(reported);
    },
  );
  fc.assert(property);
});

it('the wire preserves the driver and the viewers of a session', () => {
  const driven = fc.record(
    {
      driver,
      driverEpoch: epoch,
      viewers: fc.array(viewer, { minLength: 1 }),
      sizing: fc.constantFrom(...sizings),
    },
    optional,
  );
  const base = { name: 'one', id: 'id', state: 'running', program: 'sh', args: [] } as const;
  const more = { cwd: '/', pid: 1, title: '', revision: 1, createdAtMs: 1, exitedAtMs: null };
  const property = fc.property(driven, (original) => {
    const info = { ...base, ...more, exitStatus: null, size: { cols: 80, rows: 24 }, ...original };
    const bytes = toBinary(SessionSchema, toSession(info));
    expect(fromSession(fromBinary(SessionSchema, bytes))).toEqual(info);
  });
  fc.assert(property);
});

it('the wire preserves how a session is taken, given and viewed', () => {
  const take: fc.Arbitrary<TakeRequest> = fc.record(
    { name: text, force: fc.boolean(), note: text },
    { requiredKeys: ['force'] },
  );
  const takes = fc.property(take, (original) => {
    const message = create(TakeDriverRequestSchema, toTakeFields(original));
    const bytes = toBinary(TakeDriverRequestSchema, message);
    expect(fromTakeFields(fromBinary(TakeDriverRequestSchema, bytes))).toEqual(original);
  });
  fc.assert(takes);
  const give = fc.record({ note: text, epoch, to: text, name: text }, optional);
  const gives = fc.property(give, (original) => {
    const message = create(GiveDriverRequestSchema, toGiveFields(original));
    const bytes = toBinary(GiveDriverRequestSchema, message);
    expect(fromGiveFields(fromBinary(GiveDriverRequestSchema, bytes))).toEqual(original);
  });
  fc.assert(gives);
  const as = fc.constantFrom('auto', 'take', 'force', 'watch');
  const sizing = fc.constantFrom(...sizings);
  const view: fc.Arbitrary<ViewRequest> = fc.record(
    {
      name: text,
      kind,
      size,
      as,
      id: text,
      looking: fc.boolean(),
      sizing,
      readOnly: fc.constant(true),
    },
    { requiredKeys: ['kind', 'size'] },
  );
  const views = fc.property(view, (original) => {
    const message = create(ViewRequestSchema, toViewFields(original));
    expect(
      fromViewFields(fromBinary(ViewRequestSchema, toBinary(ViewRequestSchema, message))),
    ).toEqual(original);
  });
  fc.assert(views);
});
