import {
  create,
  type DescMessage,
  type DescMethod,
  fromJson,
  type JsonValue,
  type Message,
  type MessageInitShape,
  toJson,
} from '@bufbuild/protobuf';
import { VTR } from '#messages';
import { type JsonMessage, VtrError } from '#model';
import { checkFields } from './exact-json.ts';

/** @throws VtrError INVALID_ARGUMENT */
export function methodOf<Kind extends 'unary' | 'server_streaming'>(
  name: string,
  kind: Kind,
): DescMethod & { readonly methodKind: Kind } {
  const method = VTR.methods.find((each) => each.name === name);
  if (method?.methodKind === kind) return method as DescMethod & { readonly methodKind: Kind };
  const what = kind === 'unary' ? 'call' : 'stream';
  throw new VtrError('INVALID_ARGUMENT', `there is no ${what} ${JSON.stringify(name)}`);
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
    const found = takeBytes(field.message, value as Message);
    if (found !== null) return found;
  }
  return null;
}
