import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  MouseEventSchema,
  ReportRequestSchema,
  ReviveRequestSchema,
  RunCommandRequestSchema,
  SendTextRequestSchema,
  SpawnRequestSchema,
  SubscribeRequestSchema,
} from '#messages';
import { commandOutcomes, mouseActions, reportStates } from '#model';
import { fromReportRequest, toReportFields } from './activity.ts';
import { fromSubscribeFields, toSubscribeFields } from './event.ts';
import { fromMouse, fromSendFields, toMouse, toSendFields } from './input.ts';
import { fromRunRequest, toRunFields } from './run.ts';
import { fromReviveMessage, fromSpawnMessage, toReviveFields, toSpawnMessage } from './spawn.ts';

const optional = { requiredKeys: [] as [] };
const inputId = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/);
const text = fc.string();
const ms = fc.nat({ max: 86_400_000 });

const sender = { viewer: text, driverEpoch: fc.nat(), by: text };

it('the wire preserves what makes a call safe to repeat, and who sends input', () => {
  const send = fc.record({ inputId, timeoutMs: ms, ...sender }, optional);
  const sends = fc.property(send, (original) => {
    const message = create(SendTextRequestSchema, toSendFields('one', original));
    const received = fromBinary(SendTextRequestSchema, toBinary(SendTextRequestSchema, message));
    expect(fromSendFields(received, new AbortController().signal)).toEqual(original);
  });
  fc.assert(sends);
  const runs = fc.property(fc.record({ inputId, ...sender }, optional), text, (original, line) => {
    const message = create(RunCommandRequestSchema, toRunFields({ line, ...original }));
    const received = fromBinary(
      RunCommandRequestSchema,
      toBinary(RunCommandRequestSchema, message),
    );
    expect(fromRunRequest(received)).toEqual({ line, ...original });
  });
  fc.assert(runs);
  const spawns = fc.property(
    fc.record({ inputId, persist: fc.boolean() }, optional),
    (original) => {
      const request = { program: 'sh', args: [], env: {}, cwd: '/', ...original };
      const message = create(SpawnRequestSchema, toSpawnMessage(request));
      const received = fromBinary(SpawnRequestSchema, toBinary(SpawnRequestSchema, message));
      expect(fromSpawnMessage(received)).toEqual(request);
    },
  );
  fc.assert(spawns);
});

it("the wire preserves a caller's environment, unless it is of another machine", () => {
  const caller = { variables: { PATH: '/bin', EMPTY: '' }, notPassed: ['TOKEN'] };
  const request = { program: 'sh', args: [], env: {}, cwd: '/', caller };
  const spawnMessage = create(SpawnRequestSchema, toSpawnMessage(request));
  const received = fromBinary(SpawnRequestSchema, toBinary(SpawnRequestSchema, spawnMessage));
  expect(fromSpawnMessage(received)).toEqual(request);
  const revived = create(ReviveRequestSchema, { name: 'x', ...toReviveFields({ caller }) });
  expect(fromReviveMessage(revived)).toEqual({ env: {}, caller });
  for (const message of [received, revived]) {
    if (message.caller !== undefined) message.caller.machine = 'other/machine';
  }
  const { caller: _, ...others } = request;
  expect(fromSpawnMessage(received)).toEqual(others);
  expect(fromReviveMessage(revived)).toEqual({ env: {} });
  expect(toSpawnMessage({ caller, environment: 'login' })).not.toHaveProperty('caller');
});

it('the wire preserves events of the mouse', () => {
  const place = fc.nat({ max: 999 });
  const event = fc.record({
    action: fc.constantFrom(...mouseActions),
    button: fc.constantFrom('left' as const, 'right' as const, 'back' as const, 'none' as const),
    row: place,
    col: place,
    shift: fc.boolean(),
    alt: fc.boolean(),
    ctrl: fc.boolean(),
  });
  const property = fc.property(event, (original) => {
    fc.pre(original.action !== 'press' || original.button !== 'none');
    const bytes = toBinary(MouseEventSchema, create(MouseEventSchema, toMouse(original)));
    expect(fromMouse(fromBinary(MouseEventSchema, bytes))).toEqual(original);
  });
  fc.assert(property);
});

it('the wire preserves the beginning of a subscription; events alone continue at a mark', () => {
  const lines = fc.nat({ max: 1_000_000 });
  const property = fc.property(
    fc.record({ since: text, scrollbackLines: lines }, optional),
    fc.boolean(),
    fc.boolean(),
    (original, includeEvents, includeRawOutput) => {
      const fields = { ...toSubscribeFields(original), includeEvents, includeRawOutput };
      const message = create(SubscribeRequestSchema, fields);
      const bytes = toBinary(SubscribeRequestSchema, message);
      const { since: _, ...withoutMark } = original;
      const expected = includeEvents
        ? original
        : includeRawOutput
          ? withoutMark
          : { scrollbackLines: 0 };
      expect(fromSubscribeFields(fromBinary(SubscribeRequestSchema, bytes))).toEqual(expected);
    },
  );
  fc.assert(property);
  expect(() => toSubscribeFields({ scrollbackLines: -1 })).toThrow('whole number');
});

it('the wire preserves a report', () => {
  const command = fc.record(
    {
      line: text,
      cwd: text,
      call: text,
      outcome: fc.constantFrom(...commandOutcomes),
      exitCode: fc.nat({ max: 255 }),
      durationMs: ms,
    },
    { requiredKeys: ['line'] },
  );
  const report = fc.record(
    {
      state: fc.constantFrom(...reportStates),
      message: text,
      progress: fc.nat({ max: 100 }),
      conversation: text,
      agent: text,
      ttlMs: ms,
      sequence: fc.maxSafeNat(),
      command,
    },
    optional,
  );
  const property = fc.property(report, (original) => {
    const message = create(ReportRequestSchema, toReportFields(original));
    const received = fromBinary(ReportRequestSchema, toBinary(ReportRequestSchema, message));
    expect(fromReportRequest(received)).toEqual(original);
  });
  fc.assert(property);
});
