import { create, type JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ErrorDetailSchema } from '#messages';
import { asVtrError, type ErrorCode, errorTable, shortened, VtrError } from '#model';

const statusCodes = {
  CANCELLED: Code.Canceled,
  INVALID_ARGUMENT: Code.InvalidArgument,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
  NOT_FOUND: Code.NotFound,
  ALREADY_EXISTS: Code.AlreadyExists,
  PERMISSION_DENIED: Code.PermissionDenied,
  RESOURCE_EXHAUSTED: Code.ResourceExhausted,
  FAILED_PRECONDITION: Code.FailedPrecondition,
  INTERNAL: Code.Internal,
  UNAVAILABLE: Code.Unavailable,
} as const;

/** A status is sent in headers, of which Node accepts 64 KiB: the limit of each text, in characters. */
const maxTextLength = 1000;
/** The limit of each list, in texts. */
const maxListed = 100;

type Fact = string | number | boolean | readonly string[];

/** Truncates a fact: it may quote input of any length. */
function truncated(fact: Fact): Fact {
  if (typeof fact === 'number' || typeof fact === 'boolean') return fact;
  if (typeof fact !== 'string') return fact.slice(0, maxListed);
  return shortened(fact, maxTextLength);
}

/** Converts a thrown value to the gRPC status of the error table, with vtr's code and the facts as its detail. */
export function toStatus(thrown: unknown): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const { code, message, details } = asVtrError(thrown);
  const facts = Object.entries(details).map(([name, fact]) => [name, truncated(fact)]);
  const detail = create(ErrorDetailSchema, {
    code,
    facts: Object.fromEntries(facts) as JsonObject,
  });
  const { grpc } = errorTable[code];
  return new ConnectError(shortened(message, maxTextLength), statusCodes[grpc], undefined, [
    { desc: ErrorDetailSchema, value: detail },
  ]);
}

/** Statuses that the server's libraries return before vtr's own code runs. */
const bareCodes: ReadonlyMap<Code, ErrorCode> = new Map([
  [Code.InvalidArgument, 'INVALID_ARGUMENT'],
  [Code.ResourceExhausted, 'INPUT_TOO_LARGE'],
  [Code.Unimplemented, 'INVALID_ARGUMENT'],
]);

/** The message of an older version would be HTTP 404, of which a user cannot make sense. */
const unknownCall =
  'the coordinator does not know this call; if its version is older, restart it with vtr serve --restart';

/** Converts what a handler throws to the error that {@link toStatus} was given. */
export function fromStatus(thrown: unknown): VtrError {
  if (!(thrown instanceof ConnectError)) return asVtrError(thrown);
  const { code, rawMessage } = thrown;
  const [detail] = thrown.findDetails(ErrorDetailSchema);
  if (detail !== undefined && Object.hasOwn(errorTable, detail.code)) {
    const details = (detail.facts ?? {}) as Record<string, string | number | boolean | string[]>;
    return new VtrError(detail.code as ErrorCode, rawMessage, { details });
  }
  const message = code === Code.Unimplemented ? `${unknownCall} (${rawMessage})` : rawMessage;
  return new VtrError(bareCodes.get(code) ?? 'INTERNAL_ERROR', message, { cause: thrown });
}
