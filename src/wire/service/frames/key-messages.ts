import type { KeyAction, SubscribeEvent, Key as WireKey } from '#messages';

/**
 * The messages of a key and of its echo, encoded and decoded by hand. The library visits some hundred functions for
 * each, which are cold when a person presses the next key. What a message has besides the fields below, the library
 * converts: these functions then return null.
 */

/** A field with the number and the type of its encoding, as the varint before it. */
const tag = (field: number, type: number): number => (field << 3) | type;
const varint = 0;
const withLength = 2;

const requestTags = {
  name: tag(1, withLength),
  sessionId: tag(100, withLength),
  keys: tag(101, withLength),
  inputId: tag(104, withLength),
  viewer: tag(130, withLength),
} as const;
const keyTags = { press: tag(2, withLength) } as const;
const pressTags = {
  key: tag(1, withLength),
  action: tag(8, varint),
  shiftedKey: tag(9, withLength),
  baseLayoutKey: tag(10, withLength),
} as const;
const eventTags = {
  output: tag(101, withLength),
  revision: tag(110, varint),
  at: tag(111, withLength),
} as const;
const outputTags = { data: tag(1, withLength), offset: tag(2, varint) } as const;
const timeTags = { seconds: tag(1, varint), nanos: tag(2, varint) } as const;

/** In the order of their fields, from 2 on. */
const modifiers = ['shift', 'alt', 'ctrl', 'super', 'hyper', 'meta'] as const;

type Modifiers = { readonly [Name in (typeof modifiers)[number]]?: boolean | undefined };

interface PressFields extends Modifiers {
  readonly key?: string | undefined;
  readonly action?: number | undefined;
  readonly shiftedKey?: string | undefined;
  readonly baseLayoutKey?: string | undefined;
}

/** What a `SendKeyRequest` may be made of. */
export interface KeyRequestFields {
  readonly name?: string | undefined;
  readonly key?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly keys?:
    | readonly { readonly key?: { readonly case?: string | undefined; readonly value?: unknown } }[]
    | undefined;
  readonly timeout?: unknown;
  readonly wait?: unknown;
  readonly inputId?: string | undefined;
  readonly viewer?: string | undefined;
  readonly driverEpoch?: number | undefined;
  readonly by?: string | undefined;
}

/** More is encoded by the library. */
const maxKeys = 8;
/** The most bytes of a string here, so that its length has one byte. */
const maxText = 127;
/** The most bytes of the output of an event here: an echo is short. */
const maxOutput = 1024;

/** Where messages are built; each is copied from it. */
const scratch = Buffer.allocUnsafe(2 * maxOutput);
let at = 0;

/** Returns what was built, from the beginning. */
const built = (): Uint8Array => new Uint8Array(scratch.subarray(0, at));

function putVarint(value: number): void {
  let rest = value;
  // Not by bits: a number of JavaScript has 32 of them.
  while (rest > 127) {
    scratch[at++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  scratch[at++] = rest;
}

/** Returns whether it was short enough. */
function putText(field: number, text: string): boolean {
  // A character has up to three bytes in UTF-8 for each unit.
  if (typeof text !== 'string' || text.length * 3 > maxText) return false;
  putVarint(field);
  const length = scratch.write(text, at + 1, 'utf8');
  scratch[at] = length;
  at += 1 + length;
  return true;
}

/** A text that the encoding leaves out if it is empty. */
const putGiven = (field: number, text: string | null | undefined): boolean =>
  text == null || text === '' || putText(field, text);

/** Whether a number can be encoded here; the library has larger and negative ones. */
const isPlain = (value: number): boolean => value >= 0 && value <= Number.MAX_SAFE_INTEGER;

/** Encodes a `SendKeyRequest` of a person: keys, and who sends them. @returns null if it has more */
export function encodeKeyRequest(request: KeyRequestFields): Uint8Array | null {
  const { name, key, sessionId, keys = [], timeout, wait, inputId, viewer } = request;
  const isMore =
    timeout != null || wait != null || request.driverEpoch != null || request.by != null;
  if (isMore || (key != null && key !== '') || keys.length > maxKeys) return null;
  at = 0;
  if (!putGiven(requestTags.name, name) || !putGiven(requestTags.sessionId, sessionId)) return null;
  for (const each of keys) if (!putKey(each)) return null;
  if (inputId != null && !putText(requestTags.inputId, inputId)) return null;
  if (viewer != null && !putText(requestTags.viewer, viewer)) return null;
  return built();
}

function putKey({ key }: NonNullable<KeyRequestFields['keys']>[number]): boolean {
  if (key?.case !== 'press' || key.value == null) return false;
  const press = key.value as PressFields;
  putVarint(requestTags.keys);
  const keyAt = at++;
  putVarint(keyTags.press);
  const pressAt = at++;
  if (!putGiven(pressTags.key, press.key)) return false;
  for (let each = 0; each < modifiers.length; each++) {
    const isHeld = press[modifiers[each] as (typeof modifiers)[number]];
    if (isHeld != null && typeof isHeld !== 'boolean') return false;
    if (!isHeld) continue;
    scratch[at++] = tag(2 + each, varint);
    scratch[at++] = 1;
  }
  const { action } = press;
  if (action != null && action !== 0) {
    if (!Number.isInteger(action) || action < 0 || action > 127) return false;
    scratch[at++] = pressTags.action;
    scratch[at++] = action;
  }
  if (!putGiven(pressTags.shiftedKey, press.shiftedKey)) return false;
  if (!putGiven(pressTags.baseLayoutKey, press.baseLayoutKey)) return false;
  if (at - keyAt - 1 > maxText) return false;
  scratch[pressAt] = at - pressAt - 1;
  scratch[keyAt] = at - keyAt - 1;
  return true;
}

/** Encodes a `SubscribeEvent` with output. @returns null for others, and for much output */
export function encodeOutputEvent({
  event,
  revision,
  at: time,
  $unknown: unknown,
}: SubscribeEvent): Uint8Array | null {
  if (event.case !== 'output' || time === undefined || unknown !== undefined) return null;
  const { data, offset } = event.value;
  const start = Number(offset);
  const number = Number(revision);
  const seconds = Number(time.seconds);
  const { nanos } = time;
  if (data.length > maxOutput || event.value.$unknown !== undefined || time.$unknown !== undefined)
    return null;
  if (!isPlain(start) || !isPlain(number) || !isPlain(seconds) || !isPlain(nanos)) return null;
  at = 0;
  putVarint(eventTags.output);
  putVarint(
    (data.length === 0 ? 0 : 1 + sizeOf(data.length) + data.length) +
      (start === 0 ? 0 : 1 + sizeOf(start)),
  );
  if (data.length > 0) {
    scratch[at++] = outputTags.data;
    putVarint(data.length);
    scratch.set(data, at);
    at += data.length;
  }
  putNumber(outputTags.offset, start);
  putNumber(eventTags.revision, number);
  putVarint(eventTags.at);
  putVarint((seconds === 0 ? 0 : 1 + sizeOf(seconds)) + (nanos === 0 ? 0 : 1 + sizeOf(nanos)));
  putNumber(timeTags.seconds, seconds);
  putNumber(timeTags.nanos, nanos);
  return built();
}

/** A number that the encoding leaves out if it is 0. */
function putNumber(field: number, value: number): void {
  if (value === 0) return;
  putVarint(field);
  putVarint(value);
}

/** The bytes of a varint. */
function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}

/** What is being decoded. */
let bytes: Uint8Array = new Uint8Array(0);
/** Where the next byte is, and where the message ends. */
let from = 0;
let end = 0;
/** Whether something was found that the library has to decode. */
let isOther = false;

/** The most bytes of a varint here: 49 bits. */
const maxVarint = 7;

function takeVarint(): number {
  let value = 0;
  let factor = 1;
  for (let size = 0; size < maxVarint && from < end; size++) {
    const byte = bytes[from++] as number;
    if (byte < 128) return value + byte * factor;
    value += (byte - 128) * factor;
    factor *= 128;
  }
  isOther = true;
  return 0;
}

/** Returns the end of a part that begins with its length. */
function takeLength(): number {
  const length = takeVarint();
  if (from + length > end) isOther = true;
  return from + length;
}

/** Returns a text if it is ASCII: UTF-8 is checked by the library. */
function takeText(): string {
  const until = takeLength();
  if (isOther) return '';
  let text = '';
  for (; from < until; from++) {
    const byte = bytes[from] as number;
    if (byte > 127) isOther = true;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** The most bytes of a message that is decoded here: the last one stays in memory. */
const maxMessage = scratch.length;

function begin(message: Uint8Array): void {
  bytes = message;
  from = 0;
  end = message.length;
  isOther = false;
}

interface DecodedKeyRequest {
  $typeName: 'vtr.SendKeyRequest';
  name: string;
  key: string;
  sessionId: string;
  keys: WireKey[];
  inputId?: string;
  viewer?: string;
}

/** Decodes a `SendKeyRequest` as {@link encodeKeyRequest} makes them. @returns null for others */
export function decodeKeyRequest(message: Uint8Array): DecodedKeyRequest | null {
  if (message.length > maxMessage) return null;
  begin(message);
  const request: DecodedKeyRequest = {
    $typeName: 'vtr.SendKeyRequest',
    name: '',
    key: '',
    sessionId: '',
    keys: [],
  };
  for (let last = 0; from < end && !isOther; ) {
    const field = takeVarint();
    // Of a field that comes twice, and of the order of several, the library knows what counts.
    if (field < last || (field === last && field !== requestTags.keys)) return null;
    last = field;
    if (field === requestTags.keys) request.keys.push(takeKey());
    else if (field === requestTags.name) request.name = takeText();
    else if (field === requestTags.sessionId) request.sessionId = takeText();
    else if (field === requestTags.inputId) request.inputId = takeText();
    else if (field === requestTags.viewer) request.viewer = takeText();
    else return null;
  }
  return isOther ? null : request;
}

function takeKey(): WireKey {
  const press = {
    $typeName: 'vtr.KeyPress' as const,
    key: '',
    shift: false,
    alt: false,
    ctrl: false,
    super: false,
    hyper: false,
    meta: false,
    action: 0 as KeyAction,
    shiftedKey: '',
    baseLayoutKey: '',
  };
  const key = { $typeName: 'vtr.Key' as const, key: { case: 'press' as const, value: press } };
  const keyEnd = takeLength();
  if (isOther || takeVarint() !== keyTags.press || takeLength() !== keyEnd) {
    isOther = true;
    return key;
  }
  for (let last = 0; from < keyEnd && !isOther; ) {
    const field = takeVarint();
    if (field <= last) isOther = true;
    last = field;
    const modifier = field < 64 ? modifiers[(field >> 3) - 2] : undefined;
    if (field === pressTags.key) press.key = takeText();
    else if (field === pressTags.action) press.action = takeVarint() as KeyAction;
    else if (field === pressTags.shiftedKey) press.shiftedKey = takeText();
    else if (field === pressTags.baseLayoutKey) press.baseLayoutKey = takeText();
    else if (modifier !== undefined && (field & 7) === varint) press[modifier] = takeVarint() !== 0;
    else isOther = true;
  }
  if (from !== keyEnd || press.action > 127) isOther = true;
  return key;
}

/** Decodes a `SubscribeEvent` as {@link encodeOutputEvent} makes them. @returns null for others */
export function decodeOutputEvent(message: Uint8Array): SubscribeEvent | null {
  if (message.length > maxMessage) return null;
  begin(message);
  if (takeVarint() !== eventTags.output) return null;
  const outputEnd = takeLength();
  if (isOther) return null;
  let data: Uint8Array = new Uint8Array(0);
  if (from < outputEnd && bytes[from] === outputTags.data) {
    from++;
    const dataEnd = takeLength();
    if (isOther || dataEnd > outputEnd) return null;
    data = message.subarray(from, dataEnd);
    from = dataEnd;
  }
  const offset = from < outputEnd ? takeNumber(outputTags.offset) : 0;
  if (from !== outputEnd) return null;
  const revision = bytes[from] === (eventTags.revision & 127) + 128 ? takeRevision() : 0;
  if (takeVarint() !== eventTags.at || takeLength() !== end) return null;
  const seconds = from < end && bytes[from] === timeTags.seconds ? takeNumber(timeTags.seconds) : 0;
  const nanos = from < end ? takeNumber(timeTags.nanos) : 0;
  if (isOther || from !== end || nanos >= 1e9) return null;
  const $typeName = 'google.protobuf.Timestamp';
  return {
    $typeName: 'vtr.SubscribeEvent',
    event: {
      case: 'output',
      value: { $typeName: 'vtr.OutputEvent', data, offset: BigInt(offset) },
    },
    revision: BigInt(revision),
    at: { $typeName, seconds: BigInt(seconds), nanos },
  };
}

/** The fields of an event here begin with different bytes. */
const takeRevision = (): number => takeNumber(eventTags.revision);

function takeNumber(field: number): number {
  if (takeVarint() !== field) isOther = true;
  return takeVarint();
}
