import * as z from 'zod/v4';
import { defined, exactDurationText, ignored, quoted } from '#base';
import {
  asVtrError,
  type Coordinator,
  type EndedBy,
  type ErrorCode,
  exitClause,
  type SessionInfo,
  startMark,
} from '#model';
import type { Caller } from '../caller.ts';
import type { TermcpOptions } from '../options.ts';
import { readInTurn } from '../reading/read-marks.ts';
import { withoutCommands } from './unread-bytes.ts';

export const sessionId = z
  .string()
  .describe("'default' for the main session, or another name for another terminal");

/** A session and its coordinator. */
export interface FoundSession {
  readonly coordinator: Coordinator;
  readonly session: SessionInfo;
}

/** How the previous session of the same name ended. */
export interface Previous {
  readonly ended: 'exited' | 'unused';
  readonly exit_code?: number;
  readonly signal?: string;
  /** Its last unread output. */
  readonly output?: string;
}

/** The main session: a read creates it too. */
const mainSession = 'default';

/** Limit of the last output that the report of an end contains. */
const lastBytes = 4096;

/** Longer than a program has between SIGTERM and SIGKILL, in ms. */
const endingMs = 6_000;

/** Returns the session of that name; creates it if none runs. */
export function sessionToWrite(
  caller: Caller,
  name: string,
): Promise<FoundSession & { readonly previous?: Previous }> {
  return caller.oneAtATime(async () => {
    const { coordinator, session } = await find(caller, name);
    if (session !== null && isRunning(session)) return used(caller, { coordinator, session });
    const previous =
      session === null ? unused(caller, name) : await gone(caller, coordinator, session);
    const spawned = await spawn(coordinator, caller, name);
    return { ...used(caller, { coordinator, session: spawned }), ...defined({ previous }) };
  });
}

/** Returns the running session of that name. @throws TermcpFailure that reports how it ended */
export async function runningSession(caller: Caller, name: string): Promise<FoundSession> {
  const target = await sessionToRead(caller, name);
  if (isRunning(target.session)) return target;
  throw await terminated(caller, target);
}

/** Returns the session of that name, running or not. @throws TermcpFailure that reports how it ended */
export function sessionToRead(caller: Caller, name: string): Promise<FoundSession> {
  return caller.oneAtATime(async () => {
    const { coordinator, session } = await find(caller, name);
    if (session !== null) return used(caller, { coordinator, session });
    if (caller.sessions.has(name)) throw timedOut(caller, name);
    if (name !== mainSession) throw await notFound(coordinator, name);
    return used(caller, { coordinator, session: await spawn(coordinator, caller, name) });
  });
}

/** Returns the failure for a session that ended during a call: its exit and its last output. */
export async function terminated(caller: Caller, target: FoundSession): Promise<TermcpFailure> {
  const { coordinator, session } = target;
  // It may still be ending.
  await ignored(
    coordinator.wait(session, { timeoutMs: endingMs, tail: { maxLines: 0 } }),
    'the session may be removed already',
  );
  const { exitStatus, endedBy } = await coordinator.info(session).catch(() => session);
  caller.sessions.reportEnd(session.name);
  const output = await lastOutput(caller, coordinator, session);
  const exit = { exit_code: exitStatus?.code ?? null, signal: exitStatus?.signal ?? null };
  if (endedBy !== undefined && isLimit(endedBy)) {
    const details = { ...exit, ...limitDetails(endedBy), output };
    return new TermcpFailure('RESOURCE_LIMIT_EXCEEDED', limitText(endedBy), details);
  }
  const how = exitStatus === null ? 'ended' : exitClause(exitStatus);
  const message = `session ${quoted(session.name)} ${how}; write_stdin creates a new one`;
  return new TermcpFailure('SESSION_TERMINATED', message, { ...exit, output });
}

/** Fetches the raw output since the last read. @returns the number of bytes dropped before they were read */
export function fetchUnread(
  caller: Caller,
  coordinator: Coordinator,
  session: SessionInfo,
): Promise<number> {
  const marks = caller.marks.of(session.id);
  return readInTurn(marks, async () => {
    const since = marks.readMark ?? startMark;
    const { raw, mark, gap } = await coordinator.read(session, { since, format: 'raw' });
    marks.readMark = mark;
    const dropped = raw === undefined ? 0 : caller.unread.add(session.id, raw.bytes);
    return gap.bytes + dropped;
  });
}

export const isLimit = ({ reason }: EndedBy): boolean => reason !== 'idle' && reason !== 'lease';

/** Returns why vtr ended the session, for a model. */
export function limitText({ reason, limit = 0, measured = 0 }: EndedBy): string {
  const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
  if (reason === 'memory') {
    return `the session was killed: it used ${mib(measured)} MiB of memory, the limit is ${mib(limit)} MiB; write_stdin creates a new one`;
  }
  return `the session was ended: it ran for ${exactDurationText(limit)}, the limit; write_stdin creates a new one`;
}

const limitDetails = ({ reason, limit, measured }: EndedBy) => ({
  limit: reason,
  allowed: limit ?? null,
  measured: measured ?? null,
});

const isRunning = ({ state, endedBy }: SessionInfo): boolean =>
  state === 'running' && endedBy === undefined;

async function find(caller: Caller, name: string) {
  const coordinator = await caller.host.start();
  const session = (await coordinator.list()).find((each) => each.name === name) ?? null;
  return { coordinator, session };
}

function used(caller: Caller, target: FoundSession): FoundSession {
  const before = caller.sessions.idOf(target.session.name);
  if (before !== null && before !== target.session.id) caller.unread.forget(before);
  caller.sessions.use(target.session);
  return target;
}

function unused(caller: Caller, name: string): Previous | null {
  return caller.sessions.has(name) ? { ended: 'unused' } : null;
}

/** @throws TermcpFailure the first time if it exceeded a limit: a new session would end the same way */
async function gone(
  caller: Caller,
  coordinator: Coordinator,
  session: SessionInfo,
): Promise<Previous> {
  const { endedBy } = session;
  used(caller, { coordinator, session });
  if (endedBy !== undefined && isLimit(endedBy) && caller.sessions.reportEnd(session.name)) {
    throw await terminated(caller, { coordinator, session });
  }
  const output = await lastOutput(caller, coordinator, session);
  const { code, signal } = await coordinator.remove(session, { keepsWork: true });
  return {
    ended: endedBy?.reason === 'idle' ? 'unused' : 'exited',
    ...defined({ exit_code: code, signal, output: output || undefined }),
  };
}

async function lastOutput(
  caller: Caller,
  coordinator: Coordinator,
  session: SessionInfo,
): Promise<string> {
  await fetchUnread(caller, coordinator, session).catch(() => 0);
  return withoutCommands(caller.unread.takeEnd(session.id, lastBytes));
}

function timedOut(caller: Caller, name: string): TermcpFailure {
  const { idleMs = 0 } = termcpOf(caller).lifetime;
  const seconds = Math.round(idleMs / 1000);
  const message = `session ${quoted(name)} was ended: it was unused for ${seconds} s or was removed; write_stdin creates a new one`;
  return new TermcpFailure('SESSION_TIMEOUT', message, { timeout_seconds: seconds });
}

async function notFound(coordinator: Coordinator, name: string): Promise<TermcpFailure> {
  const names = (await coordinator.list()).map((each) => each.name).slice(0, 20);
  const existing = names.length === 0 ? 'none exists' : `sessions: ${names.join(', ')}`;
  const message = `no session ${quoted(name)}; ${existing}; write_stdin creates one`;
  return new TermcpFailure('SESSION_NOT_FOUND', message, { session_id: name });
}

function spawn(coordinator: Coordinator, caller: Caller, name: string): Promise<SessionInfo> {
  const { size, term, scrollbackLines, environment: own } = caller.options;
  const { program, args, cwd, environment, maxBufferBytes, lifetime, limits } = termcpOf(caller);
  return coordinator.spawn({
    name,
    program,
    args,
    size,
    cwd,
    environment,
    lifetime,
    limits,
    ...defined({ scrollbackLines, caller: own }),
    rawBytes: maxBufferBytes,
    env: { TERM: term },
    // Output must be the program's alone, without shell marks.
    shellIntegration: false,
  });
}

/** The termcp tools are registered only with these options. */
const termcpOf = ({ options }: Caller): TermcpOptions => options.termcp as TermcpOptions;

/** The error numbers of the specification; -32000 for errors without one. */
const numbers = {
  SESSION_NOT_FOUND: -32001,
  SESSION_TERMINATED: -32002,
  SESSION_TIMEOUT: -32003,
  PTY_ERROR: -32004,
  RESOURCE_LIMIT_EXCEEDED: -32005,
  PERMISSION_DENIED: -32006,
  IO_ERROR: -32000,
  UTF8_ERROR: -32000,
  INVALID_COMMAND: -32000,
  INVALID_REQUEST: -32000,
} as const;

type Word = keyof typeof numbers;

type Details = Readonly<Record<string, string | number | boolean | null>>;

/** An error of the specification, returned as a tool's answer. */
export class TermcpFailure extends Error {
  readonly word: Word;
  readonly details: Details;

  /** @param details for programs, in addition to the number */
  constructor(word: Word, message: string, details: Details = {}) {
    super(message);
    this.word = word;
    this.details = details;
  }

  /** The code word, what failed and what to try; then the details as a line of JSON. */
  get text(): string {
    const details = { code: numbers[this.word], ...this.details };
    return `${this.word}: ${this.message}\n${JSON.stringify(details)}`;
  }
}

const words: Readonly<Partial<Record<ErrorCode, Word>>> = {
  SESSION_NOT_FOUND: 'SESSION_NOT_FOUND',
  SESSION_NOT_RUNNING: 'SESSION_TERMINATED',
  PROGRAM_NOT_FOUND: 'INVALID_COMMAND',
  NUL_IN_STRING: 'INVALID_COMMAND',
  PROGRAM_NOT_EXECUTABLE: 'PERMISSION_DENIED',
  MAX_SESSIONS: 'RESOURCE_LIMIT_EXCEEDED',
  SYSTEM_LIMIT: 'RESOURCE_LIMIT_EXCEEDED',
  NOT_DRIVER: 'PERMISSION_DENIED',
  INPUT_TOO_LARGE: 'IO_ERROR',
  INPUT_BACKLOG: 'IO_ERROR',
  INPUT_TIMEOUT: 'IO_ERROR',
  INVALID_ARGUMENT: 'INVALID_REQUEST',
  INVALID_NAME: 'INVALID_REQUEST',
  NO_INPUT: 'INVALID_REQUEST',
};

/** Converts an error to one of the specification; PTY_ERROR if it has no equivalent. */
export function asTermcpFailure(thrown: unknown): TermcpFailure {
  if (thrown instanceof TermcpFailure) return thrown;
  const { code, message, details } = asVtrError(thrown);
  const { acceptedBytes } = details;
  return new TermcpFailure(words[code] ?? 'PTY_ERROR', message, {
    ...(typeof acceptedBytes === 'number' ? { accepted_bytes: acceptedBytes } : {}),
  });
}
