/**
 * Converts between the messages of `#messages` and their JSON, with a generated table of fields.
 * Source: protobuf.dev/programming-guides/json. `@bufbuild/protobuf` does the same, but takes 40 ms to
 * load (docs/adr/0019-service.md).
 */
import { enumValues, messageFields } from '../gen/message-fields.gen.ts';

export type Json = { readonly [name: string]: unknown };

/** Converts the values of one kind of field. */
interface Kind {
  read(json: unknown): unknown;
  write(value: unknown): unknown;
  /** The value of an absent field that is not optional. */
  readonly unset: unknown;
}

interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly repeated: boolean;
  /** The oneof that contains the field; the message has `{case, value}` under its name. */
  readonly oneof: string | undefined;
}

interface MessageType {
  readonly fields: ReadonlyMap<string, Field>;
  readonly unset: Json;
}

interface Seconds {
  readonly seconds: bigint;
  readonly nanos: number;
}

const same = (value: unknown): unknown => value;

/** Returns a reader of values that `isOf` knows. Its failure does not quote them: they may be large. */
const checked =
  (what: string, isOf: (json: unknown) => boolean, read: (json: never) => unknown = same) =>
  (json: unknown): unknown => {
    if (isOf(json)) return read(json as never);
    throw new TypeError(`a value is not ${what}`);
  };

const isText = (json: unknown): json is string => typeof json === 'string';
/** Numbers may be strings, as those of 64 bits, NaN and the infinities are. */
const isNumber = (json: unknown): boolean =>
  typeof json === 'number' ||
  (isText(json) && /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity)$/.test(json));
const isInteger = (json: unknown): boolean =>
  Number.isSafeInteger(json) || (isText(json) && /^-?\d+$/.test(json));
/** Seconds, with at most nine digits of a fraction. */
const isDuration = (json: unknown): boolean => isText(json) && /^-?\d+(?:\.\d{1,9})?s$/.test(json);
const isTime = (json: unknown): boolean => isText(json) && !Number.isNaN(Date.parse(json));
/** Whether a value that was parsed is an object of JSON. */
export const isJson = (json: unknown): json is Json =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** A map whose values need no conversion. */
const mapKind = (isOf: (json: unknown) => boolean): Kind => ({
  read: checked('a map', (json) => isJson(json) && Object.values(json).every(isOf)),
  write: same,
  unset: Object.freeze({}),
});

const scalars: Readonly<Record<string, Kind>> = {
  string: { read: checked('text', isText), write: same, unset: '' },
  bool: {
    read: checked('true or false', (json) => typeof json === 'boolean'),
    write: same,
    unset: false,
  },
  // NaN and the infinities are strings.
  number: { read: checked('a number', isNumber, Number), write: same, unset: 0 },
  bigint: { read: checked('a whole number', isInteger, BigInt), write: String, unset: 0n },
  texts: mapKind(isText),
  numbers: mapKind(isNumber),
  bytes: {
    read: checked('text', isText, (json: string) => new Uint8Array(Buffer.from(json, 'base64'))),
    write: (value) => Buffer.from(value as Uint8Array).toString('base64'),
    unset: new Uint8Array(),
  },
  duration: {
    read: checked('a duration', isDuration, (json: string) => {
      const [seconds = '', fraction = ''] = json.slice(0, -1).split('.');
      return { seconds: BigInt(seconds), nanos: Number(fraction.padEnd(9, '0')) };
    }),
    write: (value) => {
      const { seconds, nanos } = value as Seconds;
      return `${seconds}.${String(nanos).padStart(9, '0')}s`;
    },
    unset: undefined,
  },
  timestamp: {
    read: checked('a time', isTime, (json: string) => {
      const ms = Date.parse(json);
      const seconds = Math.floor(ms / 1000);
      return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1e6 };
    }),
    write: (value) => {
      const { seconds, nanos } = value as Seconds;
      return new Date(Number(seconds) * 1000 + nanos / 1e6).toISOString();
    },
    unset: undefined,
  },
};

function enumKind(text: string): Kind {
  const [prefix, ...values] = text.split(' ');
  const numbers = new Map<string, number>();
  for (const each of values) {
    const [name, number] = each.split('=');
    numbers.set(`${prefix}${name}`, Number(number));
  }
  // A name that this version does not know reads as UNSPECIFIED.
  const read = (json: unknown) => numbers.get(json as string) ?? 0;
  return {
    read: checked('a word', (json) => isText(json) || Number.isInteger(json), read),
    write: same,
    unset: 0,
  };
}

const messageKind = (type: string): Kind => ({
  read: checked('a message', isJson, (json: Json) => readMessage(type, json)),
  write: (value) => writeMessage(type, value as Json),
  unset: undefined,
});

const types = new Map<string, MessageType>();

function typeNamed(name: string): MessageType {
  const type = types.get(name) ?? parseType(messageFields[name] ?? '');
  types.set(name, type);
  return type;
}

function parseType(text: string): MessageType {
  const fields = new Map<string, Field>();
  const unset: Record<string, unknown> = {};
  for (const each of text === '' ? [] : text.split(' ')) {
    const [name = '', kindName = '', label, oneof] = each.split(':');
    const kind = scalars[kindName] ?? kindNamed(kindName);
    const repeated = label === 'repeated';
    fields.set(name, { name, kind, repeated, oneof });
    if (oneof !== undefined) unset[oneof] = { case: undefined };
    else if (label !== 'optional') unset[name] = repeated ? Object.freeze([]) : kind.unset;
  }
  return { fields, unset };
}

const kinds = new Map<string, Kind>();
const enumTexts: Readonly<Record<string, string>> = enumValues;

function kindNamed(name: string): Kind {
  const values = enumTexts[name];
  const kind = kinds.get(name) ?? (values === undefined ? messageKind(name) : enumKind(values));
  kinds.set(name, kind);
  return kind;
}

/**
 * Reads a message of `type`, with the defaults of absent fields filled in. Unknown fields are ignored.
 *
 * @throws Error for values that are not JSON of that message
 */
export function readMessage(type: string, json: Json): Record<string, unknown> {
  const { fields, unset } = typeNamed(type);
  const message: Record<string, unknown> = { ...unset };
  for (const name in json) {
    const field = fields.get(name);
    const value = json[name];
    if (field === undefined || value === null) continue;
    if (field.repeated && !Array.isArray(value)) throw new TypeError(`${name} is not a list`);
    const read = field.repeated
      ? (value as unknown[]).map((each) => field.kind.read(each))
      : field.kind.read(value);
    if (field.oneof === undefined) message[name] = read;
    else message[field.oneof] = { case: name, value: read };
  }
  return message;
}

/**
 * Returns the JSON of a message of `type`. Fields with their default are left out, as @bufbuild/protobuf does: an older
 * server refuses a field that it does not know, also one that says nothing.
 */
export function writeMessage(type: string, message: Json): Json {
  const json: Record<string, unknown> = {};
  const { fields, unset } = typeNamed(type);
  for (const { name, kind, repeated, oneof } of fields.values()) {
    const value = oneof === undefined ? message[name] : memberOf(message[oneof] as Json, name);
    if (value === undefined || isDefault(value, unset[name])) continue;
    json[name] = repeated ? (value as unknown[]).map(kind.write) : kind.write(value);
  }
  return json;
}

/** Whether a value is that of an absent field, whose value is `unset`; undefined if absence says something else. */
function isDefault(value: unknown, unset: unknown): boolean {
  if (unset === undefined || typeof value !== 'object') return value === unset;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

const memberOf = (oneof: Json | undefined, name: string): unknown =>
  oneof?.['case'] === name ? oneof['value'] : undefined;
