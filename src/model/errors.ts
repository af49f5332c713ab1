/**
 * The closed table of errors. Every failure that leaves a room is one of these codes; the walls
 * (CLI, gRPC, MCP, ACP) translate by this table and by nothing else. A time-out, an exit and
 * "no match" are results of a wait, not errors.
 */
export interface ErrorRow {
  /** What the code says, in a sentence. */
  readonly meaning: string;
  /** gRPC status, by name. */
  readonly grpc: GrpcStatus;
  /** Exit status of the `vtr` command; 1 is none of them: it says "no", as grep's does. */
  readonly exit: number;
  /** The code word that begins an MCP tool's error text. */
  readonly mcp: string;
  /** JSON-RPC error code in ACP. */
  readonly acp: number;
}

export type GrpcStatus =
  | 'CANCELLED'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'INTERNAL'
  | 'UNAVAILABLE';

const invalidParams = -32602;
const internal = -32603;
const notFound = -32002;
const invalidRequest = -32600;
const requestCancelled = -32800;

const row = (
  meaning: string,
  grpc: GrpcStatus,
  exit: number,
  mcp: string,
  acp: number,
): ErrorRow => ({ meaning, grpc, exit, mcp, acp });

// One line a code reads better than the formatter's five.
// biome-ignore format: a table
export const errorTable = {
  SESSION_NOT_FOUND: row('No session has that name, or the one meant was removed', 'NOT_FOUND', 4, 'SESSION_NOT_FOUND', notFound),
  SESSION_ALREADY_EXISTS: row('A session of that name exists', 'ALREADY_EXISTS', 5, 'SESSION_ERROR', invalidParams),
  SESSION_NOT_RUNNING: row('The program of the session has ended', 'FAILED_PRECONDITION', 6, 'PROCESS_EXITED', invalidRequest),
  SESSION_READ_ONLY: row('The session shows what somebody else feeds it, and has no program to give input to', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  MAX_SESSIONS: row('As many sessions run as the limit allows', 'RESOURCE_EXHAUSTED', 7, 'MAX_SESSIONS', internal),
  PROGRAM_NOT_FOUND: row('The program does not exist', 'NOT_FOUND', 8, 'PROGRAM_NOT_FOUND', invalidParams),
  PROGRAM_NOT_EXECUTABLE: row('The program exists and may not be executed', 'PERMISSION_DENIED', 8, 'PTY_ERROR', invalidParams),
  CWD_NOT_FOUND: row('The working directory does not exist', 'INVALID_ARGUMENT', 8, 'PTY_ERROR', invalidParams),
  CWD_NOT_DIRECTORY: row('The working directory is no directory, or may not be entered', 'INVALID_ARGUMENT', 8, 'PTY_ERROR', invalidParams),
  NUL_IN_STRING: row('A string for the program holds a NUL byte', 'INVALID_ARGUMENT', 2, 'PTY_ERROR', invalidParams),
  INVALID_SIZE: row('A size is not an integer in 1..1000', 'INVALID_ARGUMENT', 2, 'PTY_ERROR', invalidParams),
  INVALID_NAME: row('A session name has other characters or another length than allowed', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  INVALID_KEY: row('No key has that name', 'INVALID_ARGUMENT', 2, 'INVALID_KEY', invalidParams),
  INVALID_PATTERN: row('A pattern is no RE2 regular expression', 'INVALID_ARGUMENT', 2, 'INVALID_PATTERN', invalidParams),
  INVALID_ARGUMENT: row('An argument is missing, of another kind, or out of range', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  INVALID_MARK: row('A read mark is none of this session', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  COMMAND_NOT_FOUND: row('The session keeps no command of that number', 'NOT_FOUND', 4, 'SESSION_ERROR', invalidParams),
  NOT_AT_PROMPT: row('The shell does not ask for a command now', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  NO_INPUT: row('Nothing to send was given', 'INVALID_ARGUMENT', 2, 'NO_INPUT', invalidParams),
  INPUT_TOO_LARGE: row('More input at once than the limit allows', 'RESOURCE_EXHAUSTED', 7, 'IO_ERROR', invalidParams),
  INPUT_BACKLOG: row('The program does not read, and as much input waits as the limit allows', 'RESOURCE_EXHAUSTED', 7, 'IO_ERROR', internal),
  INPUT_TIMEOUT: row('The program did not take all of the input in time', 'DEADLINE_EXCEEDED', 9, 'WAIT_TIMEOUT', internal),
  LEASE_CLOSED: row('The lease that a program was to be held by is closed', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  SYSTEM_LIMIT: row('The system has no room for another program', 'RESOURCE_EXHAUSTED', 7, 'PTY_ERROR', internal),
  SPAWN_FAILED: row('The system refused to start the program', 'INTERNAL', 8, 'PTY_ERROR', internal),
  PTY_ERROR: row('An operation on the pseudo-terminal failed', 'INTERNAL', 10, 'PTY_ERROR', internal),
  CANCELLED: row('The caller withdrew the call', 'CANCELLED', 130, 'SESSION_ERROR', requestCancelled),
  UNAVAILABLE: row('The coordinator is shutting down or cannot be reached', 'UNAVAILABLE', 3, 'SESSION_ERROR', internal),
  INTERNAL_ERROR: row('A defect in vtr', 'INTERNAL', 10, 'SESSION_ERROR', internal),
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

export interface VtrErrorOptions {
  /** What was caught on the way; for logs, never for the wire. */
  readonly cause?: unknown;
  /** Facts a caller's program can use, by name. */
  readonly details?: Readonly<Record<string, string | number | readonly string[]>>;
}

/**
 * The one error class of the house. `message` says what failed, on which session, and what to try.
 */
export class VtrError extends Error {
  override readonly name = 'VtrError';
  readonly code: ErrorCode;
  readonly details: NonNullable<VtrErrorOptions['details']>;

  constructor(code: ErrorCode, message: string, options: VtrErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Also of a copy of the class: the `vtr` command is a bundle, and loads the daemon from beside it. */
function isVtrError(thrown: unknown): thrown is VtrError {
  if (thrown instanceof VtrError) return true;
  if (!(thrown instanceof Error) || thrown.name !== 'VtrError' || !('code' in thrown)) return false;
  return typeof thrown.code === 'string' && Object.hasOwn(errorTable, thrown.code);
}

/** What was thrown, as a {@link VtrError}; anything else than one is a defect of ours. */
export function asVtrError(thrown: unknown): VtrError {
  if (isVtrError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new VtrError('INTERNAL_ERROR', `internal error: ${message}`, { cause: thrown });
}
