import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { VTR } from '#messages';
import { VtrError } from '#model';
import { toStatus } from '../errors.ts';

type Fields = Readonly<Record<string, unknown>>;
type Handler = (request: unknown, context: HandlerContext) => unknown;

/**
 * Returns the handlers, which refuse requests that have values of enums that this version does not know.
 * Such a value would be taken for the default: text is pasted in another way than asked, with success.
 */
export function knowingValues(handlers: ServiceImpl<typeof VTR>): ServiceImpl<typeof VTR> {
  const checked: Record<string, unknown> = { ...handlers };
  for (const { localName, input, methodKind } of VTR.methods) {
    const handler = checked[localName] as Handler;
    if (fieldsWithValues(input).length === 0) continue;
    checked[localName] =
      methodKind === 'unary' || methodKind === 'server_streaming'
        ? (request: Fields, context: HandlerContext) => {
            checkValues(input, request);
            return handler(request, context);
          }
        : (requests: AsyncIterable<Fields>, context: HandlerContext) =>
            handler(checkedAll(input, requests), context);
  }
  return checked as unknown as ServiceImpl<typeof VTR>;
}

async function* checkedAll(input: DescMessage, requests: AsyncIterable<Fields>) {
  for await (const request of requests) {
    checkValues(input, request);
    yield request;
  }
}

/** @throws ConnectError INVALID_ARGUMENT */
function checkValues(type: DescMessage, message: Fields): void {
  try {
    checkMessage(type, message, '');
  } catch (error) {
    throw toStatus(error);
  }
}

function checkMessage(type: DescMessage, message: Fields, path: string): void {
  for (const field of fieldsWithValues(type)) {
    const value = givenValue(message, field);
    if (value === undefined) continue;
    const at = path === '' ? field.name : `${path}.${field.name}`;
    if (!Array.isArray(value)) checkValue(field, value, at);
    else for (const [index, each] of value.entries()) checkValue(field, each, `${at}[${index}]`);
  }
}

function givenValue(message: Fields, { oneof, localName }: DescField): unknown {
  if (oneof === undefined) return message[localName];
  const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

function checkValue({ message, enum: values }: DescField, value: unknown, at: string): void {
  if (message !== undefined) checkMessage(message, value as Fields, at);
  else if (values?.value[value as number] === undefined) throw unknownValue(values, value, at);
}

function unknownValue(type: DescEnum | undefined, value: unknown, at: string): VtrError {
  const known = (type?.values ?? []).map(({ name, number }) => `${name} (${number})`);
  return new VtrError(
    'INVALID_ARGUMENT',
    `unknown value ${value} of ${at}; ${type?.typeName} has ${known.join(', ')}`,
    { details: { field: at, known } },
  );
}

const withValues = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields of a message that are enums, or messages that have some. */
function fieldsWithValues(type: DescMessage): readonly DescField[] {
  const known = withValues.get(type);
  if (known !== undefined) return known;
  // A message that contains itself has them if it has them without itself.
  withValues.set(type, []);
  const fields = type.fields.filter(
    ({ enum: values, message, fieldKind }) =>
      fieldKind !== 'map' &&
      (values !== undefined || (message !== undefined && fieldsWithValues(message).length > 0)),
  );
  withValues.set(type, fields);
  return fields;
}
