import { defined, wordOrQuoted } from '#base';

/**
 * The meaning of an error code and its form in each protocol. The table of codes is closed: every
 * failure has one of them, and the CLI, gRPC, MCP and ACP translate by this table only. A timeout,
 * an exit and "no match" are results of a wait, not errors.
 */
export interface ErrorRow {
  /** The meaning of the code, in one sentence. */
  readonly meaning: string;
  /** The name of the gRPC status. */
  readonly grpc: GrpcStatus;
  /** The exit status of the `vtr` command. Never 1, which means "no match", as in grep. */
  readonly exit: number;
  /** The first word of an MCP tool's error text. */
  readonly mcp: string;
  /** The JSON-RPC error code in ACP. */
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

// A bundle that does not use the table, as the page's, leaves it out.
/* @__NO_SIDE_EFFECTS__ */
const row = (
  meaning: string,
  grpc: GrpcStatus,
  exit: number,
  mcp: string,
  acp: number,
): ErrorRow => ({ meaning, grpc, exit, mcp, acp });

// One line per code is easier to read than the formatter's five.
// biome-ignore format: a table
export const errorTable = {
  SESSION_NOT_FOUND: row('No session has this name, or the session was removed and its name reused', 'NOT_FOUND', 4, 'SESSION_NOT_FOUND', notFound),
  SESSION_ALREADY_EXISTS: row('A session with this name exists', 'ALREADY_EXISTS', 5, 'SESSION_ERROR', invalidParams),
  SESSION_NOT_RUNNING: row('The program of the session has ended', 'FAILED_PRECONDITION', 6, 'PROCESS_EXITED', invalidRequest),
  SESSION_READ_ONLY: row('The session is read-only: it shows published output and accepts no input', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  MAX_SESSIONS: row('The limit of running sessions is reached', 'RESOURCE_EXHAUSTED', 7, 'MAX_SESSIONS', internal),
  PROGRAM_NOT_FOUND: row('The program does not exist', 'NOT_FOUND', 8, 'PROGRAM_NOT_FOUND', invalidParams),
  PROGRAM_NOT_EXECUTABLE: row('The program exists but is not executable', 'PERMISSION_DENIED', 8, 'PTY_ERROR', invalidParams),
  CWD_NOT_FOUND: row('The working directory does not exist', 'INVALID_ARGUMENT', 8, 'PTY_ERROR', invalidParams),
  CWD_NOT_DIRECTORY: row('The working directory is not a directory, or cannot be entered', 'INVALID_ARGUMENT', 8, 'PTY_ERROR', invalidParams),
  NUL_IN_STRING: row('A string for the program contains a NUL byte', 'INVALID_ARGUMENT', 2, 'PTY_ERROR', invalidParams),
  INVALID_SIZE: row('A size is not a whole number from 1 to 1000', 'INVALID_ARGUMENT', 2, 'PTY_ERROR', invalidParams),
  INVALID_NAME: row('A session name has characters that are not allowed, or is too long', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  INVALID_KEY: row('No key has this name', 'INVALID_ARGUMENT', 2, 'INVALID_KEY', invalidParams),
  INVALID_PATTERN: row('A pattern is not a valid RE2 regular expression', 'INVALID_ARGUMENT', 2, 'INVALID_PATTERN', invalidParams),
  INVALID_ARGUMENT: row('An argument is missing, of the wrong type, or out of range', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  INVALID_MARK: row('The mark does not belong to this session', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  COMMAND_NOT_FOUND: row('The session has no command with this number, or no longer keeps it', 'NOT_FOUND', 4, 'SESSION_ERROR', invalidParams),
  INVALID_RECORDING: row('A file is not a recording that vtr can read', 'INVALID_ARGUMENT', 2, 'SESSION_ERROR', invalidParams),
  RECORDING_NOT_FOUND: row('No recording has this id', 'NOT_FOUND', 4, 'SESSION_ERROR', notFound),
  SHARE_NOT_FOUND: row('No share has this id; it may have ended', 'NOT_FOUND', 4, 'SESSION_ERROR', invalidParams),
  LOGIN_NOT_FOUND: row('No browser has a login with this id; it may have ended', 'NOT_FOUND', 4, 'SESSION_ERROR', invalidParams),
  CONVERSATION_UNKNOWN: row('It is not known with which conversation a coding agent goes on, or how', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  NOT_RECORDED: row('The recording of the session does not reach back to this time, or has no such marker or command', 'NOT_FOUND', 4, 'SESSION_ERROR', notFound),
  IO_ERROR: row('A file cannot be read or written', 'FAILED_PRECONDITION', 10, 'IO_ERROR', internal),
  NOT_AT_PROMPT: row('No empty prompt is shown', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  MENU_SHOWN: row('A menu is shown: no prompt can be submitted until it is answered; nothing was typed', 'FAILED_PRECONDITION', 15, 'SESSION_ERROR', invalidRequest),
  DRAFT_SHOWN: row('The composer of the agent has a text that somebody typed; nothing was typed', 'FAILED_PRECONDITION', 17, 'SESSION_ERROR', invalidRequest),
  AGENT_NOT_IDLE: row('The agent is busy, or is not known to be idle; nothing was typed', 'FAILED_PRECONDITION', 18, 'SESSION_ERROR', invalidRequest),
  NO_QUESTION: row('No question is shown; nothing was typed', 'FAILED_PRECONDITION', 20, 'SESSION_ERROR', invalidRequest),
  QUESTION_CHANGED: row('Another question is shown than the one to answer; nothing was typed', 'FAILED_PRECONDITION', 20, 'SESSION_ERROR', invalidRequest),
  ANSWER_NOT_TAKEN: row('The program did not take the answer', 'FAILED_PRECONDITION', 15, 'SESSION_ERROR', invalidRequest),
  WORK_LEFT: row('The worktree of the session has work that is not committed or merged; the session stays', 'FAILED_PRECONDITION', 21, 'SESSION_ERROR', invalidRequest),
  NOT_ALLOWED: row('The web page may not make this call, or only for the session that is shared; or the key of VTR_REPORT is not valid', 'PERMISSION_DENIED', 2, 'SESSION_ERROR', invalidRequest),
  NOT_DRIVER: row('A person drives the session, or has driven it since the input was decided', 'FAILED_PRECONDITION', 14, 'SESSION_ERROR', invalidRequest),
  INPUT_ID_USED: row('The input id belongs to another call; nothing was done', 'ALREADY_EXISTS', 2, 'SESSION_ERROR', invalidParams),
  NO_INPUT: row('There is no input to send', 'INVALID_ARGUMENT', 2, 'NO_INPUT', invalidParams),
  INPUT_TOO_LARGE: row('The input of one call is over the limit', 'RESOURCE_EXHAUSTED', 7, 'IO_ERROR', invalidParams),
  INPUT_BACKLOG: row('The program does not read its input, and the limit of waiting input is reached', 'RESOURCE_EXHAUSTED', 7, 'IO_ERROR', internal),
  REQUEST_BACKLOG: row('Too many bytes of requests are under way, of this connection or of all', 'RESOURCE_EXHAUSTED', 7, 'SESSION_ERROR', internal),
  REQUEST_INCOMPLETE: row('The rest of a request did not arrive in time', 'DEADLINE_EXCEEDED', 9, 'SESSION_ERROR', invalidRequest),
  INPUT_TIMEOUT: row('The program did not accept all of the input before the timeout', 'DEADLINE_EXCEEDED', 9, 'WAIT_TIMEOUT', internal),
  LEASE_CLOSED: row('The lease is closed', 'FAILED_PRECONDITION', 6, 'SESSION_ERROR', invalidRequest),
  SYSTEM_LIMIT: row('The system cannot run another program: a limit of processes, files or memory is reached', 'RESOURCE_EXHAUSTED', 7, 'PTY_ERROR', internal),
  SPAWN_FAILED: row('The system refused to start the program', 'INTERNAL', 8, 'PTY_ERROR', internal),
  PTY_ERROR: row('An operation on the pseudo-terminal failed', 'INTERNAL', 10, 'PTY_ERROR', internal),
  CANCELLED: row('The caller cancelled the call', 'CANCELLED', 130, 'SESSION_ERROR', requestCancelled),
  UNAVAILABLE: row('The coordinator is shutting down, is being restarted (`restarting` in the details), or cannot be reached', 'UNAVAILABLE', 3, 'SESSION_ERROR', internal),
  INTERNAL_ERROR: row('A defect in vtr', 'INTERNAL', 10, 'SESSION_ERROR', internal),
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

export interface VtrErrorOptions {
  /** The underlying error. For logs; never sent to clients. */
  readonly cause?: unknown;
  /** Facts for programs, by name. */
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/**
 * The error of every failed operation. `message` states the failure, the session, and what to
 * try.
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

/** Accepts copies of the class: the bundled `vtr` command loads the daemon from a file of its own. */
export function isVtrError(thrown: unknown): thrown is VtrError {
  if (thrown instanceof VtrError) return true;
  if (!(thrown instanceof Error) || thrown.name !== 'VtrError' || !('code' in thrown)) return false;
  return typeof thrown.code === 'string' && Object.hasOwn(errorTable, thrown.code);
}

/**
 * Converts a thrown value to a {@link VtrError}. Any other error is a defect of vtr:
 * INTERNAL_ERROR.
 */
export function asVtrError(thrown: unknown): VtrError {
  if (isVtrError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new VtrError('INTERNAL_ERROR', `internal error: ${message}`, { cause: thrown });
}

/**
 * Converts what an operation on a file threw: IO_ERROR with the path and the system's reason. A
 * {@link VtrError} is returned unchanged.
 *
 * @param done what was to be done with the file
 */
export function ioError(
  path: string,
  done: 'made' | 'read' | 'removed' | 'written',
  thrown: unknown,
): VtrError {
  if (isVtrError(thrown)) return thrown;
  const { code } = reasonOf(thrown as SystemError);
  return new VtrError(
    'IO_ERROR',
    `${wordOrQuoted(path)} cannot be ${done}: ${systemReason(thrown)}`,
    {
      cause: thrown,
      details: { path, ...defined({ reason: code }) },
    },
  );
}

/** Does what can fail at a file. @throws VtrError as {@link ioError} */
export function ioErrors<T>(
  path: string,
  done: 'made' | 'read' | 'removed' | 'written',
  operate: () => T,
): T {
  try {
    return operate();
  } catch (error) {
    throw ioError(path, done, error);
  }
}

/**
 * Returns the reason in an error of the system: `no space left on device (ENOSPC)`. Returns the message of
 * any other error.
 */
export function systemReason(thrown: unknown): string {
  const { code, reason } = reasonOf(thrown as SystemError);
  return reason === undefined ? (thrown as Error).message : `${reason} (${code})`;
}

interface SystemError {
  readonly code?: string;
  readonly errno?: number;
  readonly message: string;
}

/** EDQUOT of Linux and of macOS, for which Node has no name. */
const quotaErrnos: readonly unknown[] = [-122, -69];

function reasonOf({ code, errno, message }: SystemError): { code?: string; reason?: string } {
  const isUnnamed = code?.startsWith('Unknown system error') === true;
  if (isUnnamed && quotaErrnos.includes(errno)) {
    return { code: 'EDQUOT', reason: 'disk quota exceeded' };
  }
  // Node's message is `ENOSPC: no space left on device, write`.
  const [, reason] = /^[A-Z0-9]+: ([^,]+)/.exec(message) ?? [];
  return defined({ code, reason });
}

/**
 * `details.reason` of a call to a coordinator that does not respond. When it continues, it does not carry out the call.
 * `details.process` is `stopped` if its process is suspended, `waiting` if it hangs, `working` if it computes, and absent
 * if that is not known. `details.work` is what it works on, such as `output of session build`, if it says so.
 */
export const silentReason = 'SILENT';

/** Why a process answers nothing. */
export interface Stuck {
  /** A signal has stopped it, it waits for something, or it computes. */
  readonly process: 'stopped' | 'waiting' | 'working';
  /** What it works on, such as `output of session build`; absent: it does not say. */
  readonly work?: string;
}

/** `details.reason` of a call that was not carried out, because it came after its client had given it up. */
export const lateReason = 'LATE';
