import * as z from 'zod/v4';
import { type Coordinator, type EndedBy, type SessionInfo, startMark } from '#model';
import type { Caller } from '../caller.ts';
import type { TermcpOptions } from '../options.ts';
import { TermcpFailure } from './termcp-failure.ts';
import { withoutCommands } from './unread-bytes.ts';

export const sessionId = z
  .string()
  .describe("'default' for the main session, or another name for another terminal");

/** A session, and who has it. */
export interface FoundSession {
  readonly coordinator: Coordinator;
  readonly session: SessionInfo;
}

/** What became of the session that had the name before. */
export interface Previous {
  readonly ended: 'exited' | 'unused';
  readonly exit_code?: number;
  readonly signal?: string;
  /** Its last output, as far as it had not been read. */
  readonly output?: string;
}

/** The session that a model calls its main one: it is made as soon as anybody asks for it. */
const mainSession = 'default';

/** So much of the last output comes with the news of an end. */
const lastBytes = 4096;

/** Longer than a program that is asked to end may take. */
const endingMs = 6_000;

/** The session of that name, made where there is none, or none that runs. */
export function sessionToWrite(
  caller: Caller,
  name: string,
): Promise<FoundSession & { readonly previous?: Previous }> {
  return caller.oneAtATime(async () => {
    const { coordinator, session } = await look(caller, name);
    if (session !== null && isRunning(session)) return used(caller, { coordinator, session });
    const previous =
      session === null ? unused(caller, name) : await gone(caller, coordinator, session);
    const made = await spawn(coordinator, caller, name);
    return { ...used(caller, { coordinator, session: made }), ...(previous && { previous }) };
  });
}

/** The session of that name, if it runs. @throws TermcpFailure that tells what became of it */
export async function runningSession(caller: Caller, name: string): Promise<FoundSession> {
  const place = await sessionToRead(caller, name);
  if (isRunning(place.session)) return place;
  throw await terminated(caller, place);
}

/** The session of that name, if there is one. @throws TermcpFailure that tells what became of it */
export function sessionToRead(caller: Caller, name: string): Promise<FoundSession> {
  return caller.oneAtATime(async () => {
    const { coordinator, session } = await look(caller, name);
    if (session !== null) return used(caller, { coordinator, session });
    if (caller.known.has(name)) throw timedOut(caller, name);
    if (name !== mainSession) throw await notFound(coordinator, name);
    return used(caller, { coordinator, session: await spawn(coordinator, caller, name) });
  });
}

/** What ended under a call: its exit, and the last that it wrote. */
export async function terminated(caller: Caller, place: FoundSession): Promise<TermcpFailure> {
  const { coordinator, session } = place;
  // It may be about to end.
  await coordinator.wait(session, { timeoutMs: endingMs, tail: { maxLines: 0 } }).catch(() => {});
  const { exitStatus, endedBy } = await coordinator.info(session).catch(() => session);
  caller.known.tell(session.name);
  const output = await lastOutput(caller, coordinator, session);
  const exit = { exit_code: exitStatus?.code ?? null, signal: exitStatus?.signal ?? null };
  if (endedBy !== undefined && isLimit(endedBy)) {
    const details = { ...exit, ...limitDetails(endedBy), output };
    return new TermcpFailure('RESOURCE_LIMIT_EXCEEDED', limitText(endedBy), details);
  }
  const how = exit.signal === null ? `with exit code ${exit.exit_code}` : `by ${exit.signal}`;
  const message = `session ${JSON.stringify(session.name)} has ended ${how}; write_stdin makes a new one`;
  return new TermcpFailure('SESSION_TERMINATED', message, { ...exit, output });
}

/** The untouched output since the last read. @returns how many bytes were gone before they were read */
export async function fetchUnread(
  caller: Caller,
  coordinator: Coordinator,
  session: SessionInfo,
): Promise<number> {
  const marks = caller.marks.of(session.id);
  const since = marks.readMark ?? startMark;
  const { raw, mark, gap } = await coordinator.read(session, { since, format: 'raw' });
  marks.readMark = mark;
  const dropped = raw === undefined ? 0 : caller.unread.add(session.id, raw.bytes);
  return gap.bytes + dropped;
}

export const isLimit = ({ reason }: EndedBy): boolean => reason !== 'idle' && reason !== 'lease';

/** Why vtr ended it, for a model. */
export function limitText({ reason, limit = 0, measured = 0 }: EndedBy): string {
  const mib = (bytes: number) => Math.round(bytes / 1024 / 1024);
  if (reason === 'memory') {
    return `the session took ${mib(measured)} MiB of memory, ${mib(limit)} MiB are allowed, and was killed; write_stdin makes a new one`;
  }
  return `the session has run for ${limit / 3_600_000} hours, which is as long as it may, and was ended; write_stdin makes a new one`;
}

const limitDetails = ({ reason, limit, measured }: EndedBy) => ({
  limit: reason,
  allowed: limit ?? null,
  measured: measured ?? null,
});

const isRunning = ({ state, endedBy }: SessionInfo): boolean =>
  state === 'running' && endedBy === undefined;

async function look(caller: Caller, name: string) {
  const coordinator = await caller.host.start();
  const session = (await coordinator.list()).find((each) => each.name === name) ?? null;
  return { coordinator, session };
}

function used(caller: Caller, place: FoundSession): FoundSession {
  const before = caller.known.idOf(place.session.name);
  if (before !== null && before !== place.session.id) caller.unread.forget(before);
  caller.known.use(place.session);
  return place;
}

function unused(caller: Caller, name: string): Previous | null {
  return caller.known.has(name) ? { ended: 'unused' } : null;
}

/** @throws TermcpFailure where it ended by a limit, once: what is to come would end the same way */
async function gone(
  caller: Caller,
  coordinator: Coordinator,
  session: SessionInfo,
): Promise<Previous> {
  const { endedBy } = session;
  used(caller, { coordinator, session });
  if (endedBy !== undefined && isLimit(endedBy) && caller.known.tell(session.name)) {
    throw await terminated(caller, { coordinator, session });
  }
  const output = await lastOutput(caller, coordinator, session);
  const { code, signal } = await coordinator.remove(session);
  return {
    ended: endedBy?.reason === 'idle' ? 'unused' : 'exited',
    ...(code === null ? {} : { exit_code: code }),
    ...(signal === null ? {} : { signal }),
    ...(output === '' ? {} : { output }),
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
  const message = `session ${JSON.stringify(name)} has been ended: nobody had used it for ${seconds} s, or somebody else removed it; write_stdin makes a new one`;
  return new TermcpFailure('SESSION_TIMEOUT', message, { timeout_seconds: seconds });
}

async function notFound(coordinator: Coordinator, name: string): Promise<TermcpFailure> {
  const names = (await coordinator.list()).map((each) => each.name).slice(0, 20);
  const there = names.length === 0 ? 'there is none' : `there are ${names.join(', ')}`;
  const message = `there is no session ${JSON.stringify(name)}; ${there}; write_stdin makes one`;
  return new TermcpFailure('SESSION_NOT_FOUND', message, { session_id: name });
}

function spawn(coordinator: Coordinator, caller: Caller, name: string): Promise<SessionInfo> {
  const { size, term, scrollbackLines } = caller.options;
  const { program, args, cwd, environment, maxBufferBytes, lifetime, limits } = termcpOf(caller);
  return coordinator.spawn({
    ...{ name, program, args, size, cwd, environment, lifetime, limits },
    ...(scrollbackLines === null ? {} : { scrollbackLines }),
    rawBytes: maxBufferBytes,
    env: { TERM: term },
    // What is read is all that the program wrote, and nothing that we had it write.
    shellIntegration: false,
  });
}

/** Its tools are registered only where it is given. */
const termcpOf = ({ options }: Caller): TermcpOptions => options.termcp as TermcpOptions;
