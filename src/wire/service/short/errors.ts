import { type ErrorCode, errorTable, VtrError } from '#model';
import type { Json } from './unary-call.ts';

/** For a failure that does not carry our own detail, by Connect's code word. */
const fallbacks: Readonly<Record<string, ErrorCode>> = {
  canceled: 'CANCELLED',
  invalid_argument: 'INVALID_ARGUMENT',
  unavailable: 'UNAVAILABLE',
  deadline_exceeded: 'UNAVAILABLE',
  unimplemented: 'INVALID_ARGUMENT',
  // A message of more than the wire takes.
  resource_exhausted: 'INPUT_TOO_LARGE',
};

interface Detail {
  readonly type?: string;
  /** The message in protobuf's bytes, base64. */
  readonly value?: string;
  /** The message as JSON, which servers may leave out. */
  readonly debug?: { readonly facts?: VtrError['details'] };
}

/** The failure that a coordinator answered, as it was thrown there; `details.socket` says where. */
export function errorFromJson(answer: Json, socket: string): VtrError {
  const { code, message } = answer;
  const details = Array.isArray(answer['details']) ? (answer['details'] as Detail[]) : [];
  const ours = details.find(({ type }) => type === 'vtr.ErrorDetail');
  const word = ours === undefined ? undefined : codeOf(ours);
  const text = typeof message === 'string' ? message : `${socket} answered without a reason`;
  return new VtrError(word ?? fallbacks[String(code)] ?? 'INTERNAL_ERROR', text, {
    details: { ...ours?.debug?.facts, socket },
  });
}

/** Field 1 of the message: its tag, the length, the code word in ASCII. */
function codeOf({ value = '' }: Detail): ErrorCode | undefined {
  const bytes = Buffer.from(value, 'base64');
  if (bytes[0] !== 0x0a) return undefined;
  const word = bytes.toString('latin1', 2, 2 + (bytes[1] ?? 0));
  return Object.hasOwn(errorTable, word) ? (word as ErrorCode) : undefined;
}
