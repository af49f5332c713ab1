import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { SendKeyRequestSchema, type SubscribeEvent, SubscribeEventSchema } from '#messages';
import {
  decodeKeyRequest,
  decodeOutputEvent,
  encodeKeyRequest,
  encodeOutputEvent,
  type KeyRequestFields,
} from './key-messages.ts';

/** Encodes a message as the library does, and those of a key and its echo faster. */
export function encodeMessage<Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
): Uint8Array {
  const plain = encodePlain(schema, message);
  return plain ?? toBinary(schema, create(schema, message));
}

function encodePlain(schema: DescMessage, message: unknown): Uint8Array | null {
  if (schema === SubscribeEventSchema) return encodeOutputEvent(message as SubscribeEvent);
  if (schema === SendKeyRequestSchema) return encodeKeyRequest(message as KeyRequestFields);
  return null;
}

/** Decodes a message as the library does, and those of a key and its echo faster. @throws Error if it cannot be decoded */
export function decodeMessage<Schema extends DescMessage>(
  schema: Schema,
  bytes: Uint8Array,
): MessageShape<Schema> {
  const plain = decodePlain(schema, bytes) as MessageShape<Schema> | null;
  return plain ?? fromBinary(schema, bytes);
}

function decodePlain(schema: DescMessage, bytes: Uint8Array): unknown {
  if (schema === SubscribeEventSchema) return decodeOutputEvent(bytes);
  if (schema === SendKeyRequestSchema) return decodeKeyRequest(bytes);
  return null;
}
