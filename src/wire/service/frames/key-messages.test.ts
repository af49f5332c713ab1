import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SendKeyRequestSchema, SubscribeEventSchema } from '#messages';
import {
  decodeKeyRequest,
  decodeOutputEvent,
  encodeKeyRequest,
  encodeOutputEvent,
  type KeyRequestFields,
} from './key-messages.ts';
import { decodeMessage, encodeMessage } from './message-bytes.ts';

type KeyRequest = MessageInitShape<typeof SendKeyRequestSchema>;

const text = fc.oneof(
  fc.string({ maxLength: 50 }),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('', 'a', 'enter', '\ud800', 'é'.repeat(60), '漢'.repeat(50)),
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

type Bytes = readonly number[];

/** @param more bytes than it needs: an encoder may write them */
function varint(value: bigint, more = 0): Bytes {
  if (value < 128n && more === 0) return [Number(value)];
  return [Number(value & 127n) | 128, ...varint(value >> 7n, value < 128n ? more - 1 : more)];
}

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 60, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

const fieldOf = (number: number, type: number, content: fc.Arbitrary<Bytes>) =>
  content.map((bytes) => [...varint(BigInt((number << 3) | type)), ...bytes]);

/** Content with its length, which is sometimes wrong. */
const part = (content: fc.Arbitrary<Bytes>) =>
  fc
    .tuple(content, mostly(0, -1, 1, 40, 1000), mostly(0, 1, 7))
    .map(([bytes, wrong, more]) => [
      ...varint(BigInt(Math.max(0, bytes.length + wrong)), more),
      ...bytes,
    ]);

const texts = part(
  fc
    .oneof(
      { weight: 20, arbitrary: fc.string({ maxLength: 6, unit: 'grapheme-ascii' }) },
      fc.constantFrom('é', '漢', 'x'.repeat(130)),
    )
    .map((each) => [...Buffer.from(each)]),
);
const numbers = fc
  .tuple(
    fc.oneof(
      { weight: 12, arbitrary: fc.bigInt({ min: 0n, max: 3n }) },
      { weight: 4, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 40n }) },
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.constantFrom(
        127n,
        128n,
        999_999_999n,
        10n ** 9n,
        2n ** 31n,
        2n ** 32n + 5n,
        2n ** 53n + 1n,
      ),
    ),
    mostly(0, 1, 2),
  )
  .map(([value, more]) => varint(value, more));

/** Fields, mostly each once and in the order of the table. */
const message = (fields: readonly fc.Arbitrary<Bytes>[], others: readonly fc.Arbitrary<Bytes>[]) =>
  fc
    .tuple(
      fc.tuple(...fields.map((each) => fc.option(each, { nil: [] }))),
      fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        fc.array(fc.tuple(fc.nat({ max: fields.length }), fc.oneof(...fields, ...others)), {
          maxLength: 2,
        }),
      ),
    )
    .map(([usual, more]) => {
      const all: Bytes[] = [...usual];
      for (const [at, field] of more) all.splice(at, 0, field);
      return all.flat();
    });

const pressMessage = message(
  [
    fieldOf(1, 2, texts),
    ...[2, 3, 4, 5, 6, 7, 8].map((number) => fieldOf(number, 0, numbers)),
    fieldOf(9, 2, texts),
    fieldOf(10, 2, texts),
  ],
  [fieldOf(1, 0, numbers), fieldOf(4, 2, texts), fieldOf(11, 0, numbers)],
);
const keyMessage = message([fieldOf(2, 2, part(pressMessage))], [fieldOf(1, 2, texts)]);
const keyField = fieldOf(101, 2, part(keyMessage));
const requestMessage = message(
  [fieldOf(1, 2, texts), fieldOf(100, 2, texts), keyField, keyField, fieldOf(104, 2, texts)],
  [fieldOf(130, 2, texts), fieldOf(2, 2, texts), fieldOf(131, 0, numbers), fieldOf(140, 2, texts)],
);
const outputMessage = message(
  [fieldOf(1, 2, texts), fieldOf(2, 0, numbers)],
  [fieldOf(1, 0, numbers), fieldOf(3, 2, texts)],
);
const timeMessage = message(
  [fieldOf(1, 0, numbers), fieldOf(2, 0, numbers)],
  [fieldOf(3, 0, numbers), fieldOf(1, 2, texts)],
);
const eventMessage = message(
  [
    fieldOf(101, 2, part(outputMessage)),
    fieldOf(110, 0, numbers),
    fieldOf(111, 2, part(timeMessage)),
  ],
  [fieldOf(102, 2, texts), fieldOf(109, 0, numbers)],
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

/** A field of bytes, shorter than 128. */
const fieldWith = (number: number, content: string | Bytes): Bytes => {
  const bytes = Buffer.from(content as string);
  return [...varint(BigInt((number << 3) | 2)), bytes.length, ...bytes];
};

function decodesAsLibrary(bytes: Uint8Array): void {
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
}

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
    fc.assert(
      fc.property(fc.oneof(damaged(keys), damaged(events), fc.uint8Array()), decodesAsLibrary),
    );
  });

  it('is the same as by the library: fields in any order, several times, of any type and length', () => {
    const messages = fc.oneof(requestMessage, eventMessage).map((each) => Uint8Array.from(each));
    let byHand = 0;
    const same = (bytes: Uint8Array) => {
      decodesAsLibrary(bytes);
      if (decodeKeyRequest(bytes) !== null || decodeOutputEvent(bytes) !== null) byHand++;
    };
    const numRuns = 5_000;
    fc.assert(fc.property(messages, same), { numRuns });
    expect(byHand / numRuns).toBeGreaterThan(0.1);
  });

  it.each(SendKeyRequestSchema.fields.map(({ localName }) => localName))(
    'is the same as by the library: the field %s of a request with a key',
    (name) => {
      const every: Required<Pick<KeyRequest, keyof KeyRequestFields>> = {
        name: 'demo',
        key: 'enter',
        sessionId: 'id',
        keys: [{ key: { case: 'press', value: { key: 'a' } } }],
        timeout: { seconds: 3n },
        wait: { timeout: { seconds: 4n } },
        inputId: '',
        viewer: '',
        driverEpoch: 0,
        by: '',
      };
      expect(Object.keys(every)).toContain(name);
      const fields = { keys: every.keys, [name]: every[name as keyof KeyRequestFields] };
      const bytes = toBinary(SendKeyRequestSchema, create(SendKeyRequestSchema, fields));
      expect(encodeMessage(SendKeyRequestSchema, fields)).toEqual(bytes);
      decodesAsLibrary(bytes);
    },
  );

  it('is the same as by the library: many keys with long names', () => {
    const text = 'é'.repeat(42);
    for (const count of [1, 3, 8, 9, 40]) {
      for (const length of [0, 30, 36, 37, 38, 39, 40, 41, 42]) {
        const baseLayoutKey = 'b'.repeat(length);
        const value = { key: 'k'.repeat(42), shiftedKey: 's'.repeat(42), baseLayoutKey };
        const keys = Array.from({ length: count }, () => ({
          key: { case: 'press' as const, value },
        }));
        const fields = { name: text, sessionId: text, keys, inputId: text, viewer: text };
        const bytes = toBinary(SendKeyRequestSchema, create(SendKeyRequestSchema, fields));
        expect(encodeMessage(SendKeyRequestSchema, fields)).toEqual(bytes);
        decodesAsLibrary(bytes);
      }
    }
  });

  it.each([0, 1, 127, 128, 1023, 1024, 1025, 2048, 100_000])(
    'is the same as by the library: output of %i bytes',
    (length) => {
      const echo = create(SubscribeEventSchema, {
        event: { case: 'output', value: { data: new Uint8Array(length).fill(97), offset: 5n } },
        at: {},
      });
      const bytes = toBinary(SubscribeEventSchema, echo);
      expect(encodeMessage(SubscribeEventSchema, echo)).toEqual(bytes);
      decodesAsLibrary(bytes);
    },
  );

  it('keeps the fields of later versions in an event', () => {
    const later = [...fieldWith(500, 'x')];
    const [output, time] = [fieldWith(1, 'a'), Buffer.from([8, 5])];
    for (const place of ['output', 'time', 'event']) {
      const event = Uint8Array.from([
        ...fieldWith(101, [...output, ...(place === 'output' ? later : [])]),
        ...fieldWith(111, [...time, ...(place === 'time' ? later : [])]),
        ...(place === 'event' ? later : []),
      ]);
      const bytes = encodeMessage(SubscribeEventSchema, decodeMessage(SubscribeEventSchema, event));
      expect(bytes, place).toEqual(event);
    }
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
