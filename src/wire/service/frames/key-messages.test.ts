import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SendKeyRequestSchema, SubscribeEventSchema } from '#messages';
import {
  decodeKeyRequest,
  decodeOutputEvent,
  encodeKeyRequest,
  encodeOutputEvent,
} from './key-messages.ts';
import { decodeMessage, encodeMessage } from './message-bytes.ts';

type KeyRequest = MessageInitShape<typeof SendKeyRequestSchema>;

const text = fc.oneof(
  fc.string({ maxLength: 50 }),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('', 'a', 'enter', '\ud800', 'é'.repeat(60)),
);
const some = { requiredKeys: [] as [] };
const press = fc.record(
  {
    key: text,
    shift: fc.boolean(),
    alt: fc.boolean(),
    ctrl: fc.boolean(),
    super: fc.boolean(),
    hyper: fc.boolean(),
    meta: fc.boolean(),
    action: fc.constantFrom(0, 1, 2, 127, 128, -1),
    shiftedKey: text,
    baseLayoutKey: text,
  },
  some,
);
const key = fc.oneof(
  { weight: 5, arbitrary: press.map((value) => ({ key: { case: 'press' as const, value } })) },
  text.map((value) => ({ key: { case: 'shortForm' as const, value } })),
  fc.constant({}),
);
const request = fc.record(
  {
    name: text,
    key: fc.constantFrom('', '', 'enter'),
    sessionId: text,
    keys: fc.array(key, { maxLength: 10 }),
    inputId: text,
    viewer: text,
    driverEpoch: fc.option(fc.nat(), { nil: undefined }),
    by: fc.option(text, { nil: undefined }),
  },
  some,
);
const ofPerson = fc.record(
  {
    name: text,
    sessionId: text,
    keys: fc.array(key, { maxLength: 3 }),
    inputId: text,
    viewer: text,
  },
  some,
);

const whole = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
  fc.nat().map(BigInt),
);
const output = fc
  .record({
    data: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ minLength: 900, maxLength: 1200 }),
    ),
    offset: whole,
    revision: whole,
    seconds: fc.oneof(
      fc.constantFrom(-1n, 0n, 1n),
      fc.nat().map(BigInt),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    ),
    nanos: fc.oneof(fc.constantFrom(0, 1, -1), fc.nat({ max: 999_999_999 })),
  })
  .map(({ data, offset, revision, seconds, nanos }) => ({
    event: { case: 'output' as const, value: { data, offset } },
    revision,
    at: { seconds, nanos },
  }));
const event = fc.oneof(
  { weight: 5, arbitrary: output },
  fc.constant({ event: { case: 'title' as const, value: { title: 'x' } }, revision: 1n }),
  fc.constant({ event: { case: 'rawOutput' as const, value: Uint8Array.of(1) } }),
  fc.constant({}),
);

/** A message that was damaged: bytes were replaced, removed or added. */
const damaged = (bytes: fc.Arbitrary<Uint8Array>) =>
  fc
    .tuple(
      bytes,
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 2 })), { maxLength: 3 }),
    )
    .map(([whole, changes]) => {
      const all = [...whole];
      for (const [at, byte, removed] of changes) all.splice(at % (all.length + 1), removed, byte);
      return Uint8Array.from(all);
    });

describe('what is encoded and decoded by hand', () => {
  it('is the same as by the library: keys', () => {
    const same = (fields: KeyRequest) => {
      const bytes = toBinary(SendKeyRequestSchema, create(SendKeyRequestSchema, fields));
      expect(encodeMessage(SendKeyRequestSchema, fields)).toEqual(bytes);
      expect(decodeMessage(SendKeyRequestSchema, bytes)).toEqual(
        fromBinary(SendKeyRequestSchema, bytes),
      );
    };
    const requests = fc.oneof(request, ofPerson) as fc.Arbitrary<unknown>;
    fc.assert(fc.property(requests as fc.Arbitrary<KeyRequest>, same));
  });

  it('is the same as by the library: output', () => {
    const same = (fields: MessageInitShape<typeof SubscribeEventSchema>) => {
      const message = create(SubscribeEventSchema, fields);
      const bytes = toBinary(SubscribeEventSchema, message);
      expect(encodeMessage(SubscribeEventSchema, message)).toEqual(bytes);
      expect(decodeMessage(SubscribeEventSchema, bytes)).toEqual(
        fromBinary(SubscribeEventSchema, bytes),
      );
    };
    fc.assert(fc.property(event, same));
  });

  it('is the same as by the library: bytes of any kind, and what it refuses', () => {
    const keys = ofPerson.map((each) =>
      toBinary(SendKeyRequestSchema, create(SendKeyRequestSchema, each as unknown as KeyRequest)),
    );
    const events = event.map((each) =>
      toBinary(SubscribeEventSchema, create(SubscribeEventSchema, each)),
    );
    const same = (bytes: Uint8Array) => {
      for (const schema of [SendKeyRequestSchema, SubscribeEventSchema]) {
        const decoded = (decode: typeof fromBinary) => {
          try {
            return decode(schema, bytes);
          } catch {
            return 'refused';
          }
        };
        expect(decoded(decodeMessage)).toEqual(decoded(fromBinary));
      }
    };
    fc.assert(fc.property(fc.oneof(damaged(keys), damaged(events), fc.uint8Array()), same));
  });

  it('is a key that a person types, and its echo', () => {
    const value = { key: 'a', ctrl: true };
    const typed = encodeKeyRequest({
      name: 'demo',
      sessionId: 'id',
      keys: [{ key: { case: 'press', value } }],
      inputId: 'input',
      viewer: 'viewer',
    });
    expect(decodeKeyRequest(typed as Uint8Array)?.keys[0]?.key.value).toMatchObject(value);
    const echo = create(SubscribeEventSchema, {
      event: { case: 'output', value: { data: Uint8Array.of(97), offset: 2n ** 40n } },
      revision: 7n,
      at: { seconds: 1_764_000_000n, nanos: 1_000_000 },
    });
    expect(decodeOutputEvent(encodeOutputEvent(echo) as Uint8Array)).toEqual(echo);
  });
});
