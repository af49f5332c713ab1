import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toJson,
} from '@bufbuild/protobuf';
import { halfCharacterText, invalidUtf8Text, nearMisses, quoted } from '#base';
import { VTR } from '#messages';
import { type JsonMessage, VtrError } from '#model';

// What would be lost or changed without a word when a request in JSON is decoded is refused before.

/** @throws VtrError INVALID_ARGUMENT with the offset of the first byte that is not UTF-8 */
export function checkUtf8(bytes: Uint8Array): void {
  const problem = invalidUtf8Text(bytes);
  if (problem !== null) throw invalid(`the request is not UTF-8: ${problem}`);
}

/** The sender and the receiver of a request. */
export interface JsonSender {
  /** Whether its unknown fields are ignored, because its version of vtr is newer. */
  readonly isNewer: boolean;
  /** The version of this coordinator; empty if that is not known. */
  readonly version: string;
}

/**
 * Checks that every field of a message is known and given once, that values of enums are known, and that
 * texts are Unicode.
 *
 * @throws VtrError INVALID_ARGUMENT
 */
export function checkFields(type: DescMessage, json: unknown, sender: JsonSender): void {
  checkMessage(type, json, '', sender);
}

function checkMessage(type: DescMessage, json: unknown, path: string, sender: JsonSender): void {
  // Durations, times and the like have a JSON of their own. What is not an object is refused later.
  if (type.typeName.startsWith('google.protobuf.')) return;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return;
  const fields = fieldsOf(type);
  const present = new Set<DescField>();
  for (const [name, value] of Object.entries(json)) {
    const field = fields.get(name);
    if (field === undefined) {
      if (sender.isNewer) continue;
      throw unknownField(type, name, path, sender);
    }
    const at = path === '' ? name : `${path}.${name}`;
    if (present.has(field)) throw invalid(`field ${at} is given twice`);
    present.add(field);
    checkValue(field, value, at, sender);
  }
}

function checkValue(field: DescField, value: unknown, at: string, sender: JsonSender): void {
  const { message, enum: values } = field;
  const check = (each: unknown, place: string) => {
    if (message !== undefined) checkMessage(message, each, place, sender);
    else if (values !== undefined) checkEnum(values, each, place, sender);
    else checkText(each, place);
  };
  if (field.fieldKind === 'list' && Array.isArray(value)) {
    for (const [index, each] of value.entries()) check(each, `${at}[${index}]`);
  } else if (field.fieldKind === 'map' && typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      checkText(key, at);
      check(each, `${at}.${key}`);
    }
  } else check(value, at);
}

function checkEnum(type: DescEnum, value: unknown, at: string, { isNewer }: JsonSender): void {
  if (typeof value !== 'string' || isNewer) return;
  const names = type.values.map(({ name }) => name);
  if (names.includes(value)) return;
  const near = nearMisses(value, names);
  const guess = near.length === 0 ? '' : `did you mean ${near.join(' or ')}? `;
  throw invalid(
    `unknown value ${quoted(value)} of ${at}; ${guess}${type.typeName} has ${names.join(', ')}`,
    { field: at, known: names },
  );
}

function checkText(value: unknown, at: string): void {
  const problem = typeof value === 'string' ? halfCharacterText(value) : null;
  if (problem !== null) throw invalid(`field ${at} is not text: ${problem}`);
}

const knownFields = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** The fields of a message by both of their names. */
function fieldsOf(type: DescMessage): ReadonlyMap<string, DescField> {
  const fields =
    knownFields.get(type) ??
    new Map(
      type.fields.flatMap((field) => [
        [field.jsonName, field],
        [field.name, field],
      ]),
    );
  knownFields.set(type, fields);
  return fields;
}

function unknownField(type: DescMessage, name: string, path: string, sender: JsonSender): VtrError {
  const names = type.fields.map(({ jsonName }) => jsonName);
  const where = path === '' ? '' : ` in ${path}`;
  const near = [...inside(type, name), ...nearMisses(name, names)];
  const at = path === '' ? '' : `${path}.`;
  const guess =
    near.length === 0 ? '' : `did you mean ${near.map((each) => at + each).join(' or ')}? `;
  const { version } = sender;
  const vtr = version === '' ? '' : ` of vtr ${version}`;
  return invalid(
    `unknown field ${quoted(name)}${where}; ${guess}${type.name}${vtr} has ${names.join(', ') || 'no fields'}`,
    { field: at + name, known: names },
  );
}

/** The places of a field in the messages of a message, such as `wait.match`. */
const inside = (type: DescMessage, name: string): string[] =>
  type.fields.flatMap(({ fieldKind, message, jsonName }) =>
    fieldKind === 'message' && fieldsOf(message).has(name) ? [`${jsonName}.${name}`] : [],
  );

/**
 * Returns the fields of a message, at any depth, by both of their names.
 *
 * @param types messages that are not entered again
 */
export function allFieldNames(type: DescMessage, types = new Set<DescMessage>()): Set<string> {
  types.add(type);
  const names = new Set(fieldsOf(type).keys());
  for (const { message } of type.fields) {
    if (message === undefined || types.has(message)) continue;
    for (const name of allFieldNames(message, types)) names.add(name);
  }
  return names;
}

const invalid = (message: string, details: VtrError['details'] = {}): VtrError =>
  new VtrError('INVALID_ARGUMENT', message, { details });

/** @throws VtrError INVALID_ARGUMENT */
export function methodOf<Kind extends 'unary' | 'server_streaming'>(
  name: string,
  kind: Kind,
): DescMethod & { readonly methodKind: Kind } {
  const method = VTR.methods.find((each) => each.name === name);
  if (method?.methodKind === kind) return method as DescMethod & { readonly methodKind: Kind };
  const what = kind === 'unary' ? 'call' : 'stream';
  throw new VtrError('INVALID_ARGUMENT', `there is no ${what} ${quoted(name)}`);
}

/** @param version of this package, for errors. @throws VtrError INVALID_ARGUMENT, also for unknown fields */
export function decode(input: DescMessage, json: JsonMessage, version = ''): Message {
  checkFields(input, json, { isNewer: false, version });
  try {
    return fromJson(input, json as JsonValue);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new VtrError('INVALID_ARGUMENT', `the request cannot be decoded: ${why}`);
  }
}

/** Returns a message as JSON. */
export const encode = (output: DescMessage, message: Message | MessageInitShape<DescMessage>) =>
  toJson(output, create(output, message as MessageInitShape<DescMessage>)) as JsonMessage;

const none = new Uint8Array();

/** Empties the field of bytes of a message, or of the message in it, and returns what it had. */
export function takeBytes(type: DescMessage, message: Message): Uint8Array | null {
  const fields = message as unknown as Record<string, unknown>;
  for (const field of type.fields) {
    const { oneof, localName } = field;
    const holder = (oneof === undefined ? message : fields[oneof.localName]) as
      | { case?: string; value?: unknown; [name: string]: unknown }
      | undefined;
    const key = oneof === undefined ? localName : 'value';
    if (holder === undefined || (oneof !== undefined && holder.case !== localName)) continue;
    const value = holder[key];
    if (value instanceof Uint8Array) {
      if (value.length === 0) continue;
      holder[key] = none;
      return value;
    }
    if (field.fieldKind !== 'message' || value === undefined) continue;
    const bytes = takeBytes(field.message, value as Message);
    if (bytes !== null) return bytes;
  }
  return null;
}
