import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VTR } from '#messages';
import { checkFields } from '../exact-json.ts';
import { type Json, readMessage, writeMessage } from './proto-json.ts';

/** Whole ms, the resolution of all timestamps that are sent. */
const timestamp = fc
  .record({ seconds: fc.nat(2 ** 31 - 1), ms: fc.nat(999) })
  .map(({ seconds, ms }) => ({ seconds: BigInt(seconds), nanos: ms * 1_000_000 }));
const duration = fc.record({
  seconds: fc.nat(2 ** 31 - 1).map(BigInt),
  nanos: fc.nat(999_999_999),
});

function scalarOf(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.string({ unit: 'grapheme' });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array();
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case ScalarType.DOUBLE:
      return fc.double().map((value) => (Object.is(value, -0) ? 0 : value));
    case ScalarType.UINT32:
      return fc.nat();
    case ScalarType.INT32:
      return fc.integer();
    default:
      throw new Error(`no values for ${ScalarType[type]}`);
  }
}

function fieldValue(field: DescField): fc.Arbitrary<unknown> {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarOf(field.scalar);
    case 'enum':
      return fc.constantFrom(...field.enum.values.map(({ number }) => number));
    case 'message':
      return messageOf(field.message);
    case 'map':
      return fc.dictionary(
        field.mapKey === ScalarType.STRING ? fc.string({ minLength: 1 }) : fc.nat().map(String),
        field.mapKind === 'scalar' ? scalarOf(field.scalar) : fc.string(),
      );
    case 'list': {
      const element =
        field.listKind === 'message'
          ? messageOf(field.message)
          : field.listKind === 'enum'
            ? fc.constantFrom(...field.enum.values.map(({ number }) => number))
            : scalarOf(field.scalar);
      return fc.array(element, { maxLength: 3 });
    }
  }
}

/** Any of a message's fields, as `create` accepts them. */
function messageOf(type: DescMessage): fc.Arbitrary<object> {
  if (type.typeName === 'google.protobuf.Timestamp') return timestamp;
  if (type.typeName === 'google.protobuf.Duration') return duration;
  const parts = type.members.map((member) => {
    if (member.kind === 'field')
      return fc.record({ [member.localName]: fieldValue(member) }, optional);
    const members = member.fields.map((field) =>
      fc.record({ case: fc.constant(field.localName), value: fieldValue(field) }),
    );
    return fc.record({ [member.localName]: fc.oneof(...members) }, optional);
  });
  return fc.tuple(...parts).map((fields) => Object.assign({}, ...fields));
}

const optional = { requiredKeys: [] as [] };

/** A message without `$typeName`, which only the library adds. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  // The defaults of absent fields may be in the prototype.
  const entries = [];
  for (const name in value) {
    const field = (value as Json)[name];
    if (name !== '$typeName' && field !== undefined) entries.push([name, plain(field)]);
  }
  return Object.fromEntries(entries);
}

const unary = VTR.methods.filter(({ methodKind }) => methodKind === 'unary');
const requests = unary.map(({ input }) => [input.name, input] as const);
const answers = unary.map(({ output }) => [output.name, output] as const);

describe('the JSON of messages', () => {
  it.each(answers)('reads %s as @bufbuild/protobuf does', (name, type) => {
    const property = fc.property(messageOf(type), (fields) => {
      const message = create(type, fields as MessageInitShape<typeof type>);
      const json = toJson(type, message) as Json;
      expect(plain(readMessage(name, json))).toEqual(plain(fromJson(type, json as JsonValue)));
    });
    fc.assert(property);
  });

  it.each(requests)('writes %s so that @bufbuild/protobuf reads it', (name, type) => {
    const property = fc.property(messageOf(type), (fields) => {
      const message = create(type, fields as MessageInitShape<typeof type>);
      const json = JSON.parse(JSON.stringify(writeMessage(name, fields as Json)));
      checkFields(type, json, { isNewer: false, version: '' });
      expect(plain(fromJson(type, json))).toEqual(plain(message));
      // An older server refuses a field that it does not know, also one that says nothing.
      expect(Object.keys(json).sort()).toEqual(Object.keys(toJson(type, message) as Json).sort());
    });
    fc.assert(property);
  });

  it('reads fields of a later version as if they were absent', () => {
    const json = { status: 'SESSION_STATUS_FROZEN', colour: 'red', title: null };
    expect(readMessage('Session', json)).toMatchObject({ status: 0, title: '' });
    expect(readMessage('Session', json)).not.toHaveProperty('colour');
  });

  it.each([
    ['Session', { revision: 'x' }],
    ['Session', { createdAt: 'yesterday' }],
    ['Session', { args: 'a' }],
    ['WaitResult', { elapsed: 3 }],
    ['WaitResult', { elapsed: '1.0000000001s' }],
    ['Session', { cols: '1.2.3' }],
    ['Session', { cols: 'infinity' }],
    ['Session', { labels: ['a'] }],
    ['Session', { labels: { a: 1 } }],
    ['ViewModes', { palette: { 1: 'x' } }],
  ])('refuses %s %j', (name, json) => {
    expect(() => readMessage(name, json)).toThrow(Error);
  });

  it.each([
    ['Session', 'revision'],
    ['Session', 'createdAt'],
    ['WaitResult', 'elapsed'],
  ])('does not quote a value of %s in the field %s, which may be large', (name, field) => {
    const refused = () => readMessage(name, { [field]: 'x'.repeat(10_000) });
    expect(refused).toThrow(/^a value is not (?:a|an) [a-z ]+$/);
  });
});
