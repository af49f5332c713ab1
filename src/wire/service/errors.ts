import { create, type JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { asVtrError, type ErrorCode, errorTable, VtrError } from '#model';
import { ErrorDetailSchema } from './gen/vtr.gen.ts';

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

/** A status travels in headers, and Node takes 64 KiB of them: characters of each text, texts of a list. */
const maxTold = 1000;
const maxListed = 100;

type Fact = string | number | readonly string[];

/** What callers gave may be of any length, and with it what is told of it. */
function told(fact: Fact): Fact {
  if (typeof fact === 'number') return fact;
  if (typeof fact !== 'string') return fact.slice(0, maxListed);
  return fact.length > maxTold ? `${fact.slice(0, maxTold - 1)}…` : fact;
}

/** What was thrown, as a status: code by the table of errors, the word and the facts as its detail. */
export function toStatus(thrown: unknown): ConnectError {
  if (thrown instanceof ConnectError) return thrown;
  const { code, message, details } = asVtrError(thrown);
  const facts = Object.entries(details).map(([name, fact]) => [name, told(fact)]);
  const detail = create(ErrorDetailSchema, {
    code,
    facts: Object.fromEntries(facts) as JsonObject,
  });
  const { grpc } = errorTable[code];
  return new ConnectError(String(told(message)), statusCodes[grpc], undefined, [
    { desc: ErrorDetailSchema, value: detail },
  ]);
}

/** Statuses that a server gives before vtr's own code is reached, and what they mean to a caller. */
const bareCodes: ReadonlyMap<Code, ErrorCode> = new Map([
  [Code.InvalidArgument, 'INVALID_ARGUMENT'],
  [Code.ResourceExhausted, 'INPUT_TOO_LARGE'],
  [Code.Unimplemented, 'INTERNAL_ERROR'],
]);

/**
 * The error that {@link toStatus} was given. A status without a detail of ours comes from the
 * connection: the coordinator could not be reached, or went away.
 *
 * @param place what was to be reached, for the message
 */
export function fromStatus(thrown: unknown, place: string): VtrError {
  if (thrown instanceof VtrError) return thrown;
  const { code, rawMessage, ...status } = ConnectError.from(thrown);
  const [detail] = ConnectError.from(thrown).findDetails(ErrorDetailSchema);
  if (detail !== undefined && Object.hasOwn(errorTable, detail.code)) {
    const details = (detail.facts ?? {}) as Record<string, string | number | string[]>;
    return new VtrError(detail.code as ErrorCode, rawMessage, { details });
  }
  const bare = bareCodes.get(code);
  if (bare !== undefined) return new VtrError(bare, `${place}: ${rawMessage}`, { cause: thrown });
  const told = status.cause instanceof Error ? status.cause.message : rawMessage;
  const reason = systemCode(status.cause);
  return new VtrError('UNAVAILABLE', `${place} cannot be reached: ${told}; is it running?`, {
    cause: thrown,
    ...(reason === null ? {} : { details: { reason } }),
  });
}

/** What the system calls it that a connection was not made: ECONNREFUSED where nobody listens. */
function systemCode(cause: unknown): string | null {
  for (let each = cause; each instanceof Error; each = each.cause) {
    const code = 'code' in each ? each.code : null;
    if ('errno' in each && typeof code === 'string') return code;
  }
  return null;
}
