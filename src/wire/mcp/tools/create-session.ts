import { basename } from 'node:path';
import * as z from 'zod/v4';
import { defined, ignored } from '#base';
import {
  asVtrError,
  type Coordinator,
  isShell,
  type RevivedSession,
  type SessionInfo,
  VtrError,
} from '#model';
import type { Caller } from '../caller.ts';
import { dimensions, isSameSize, ms } from '../fields.ts';
import { promptPatternOf } from '../options.ts';
import { reporting } from '../reading/wait-for.ts';
import { type Call, defineTool, makes } from '../tool.ts';

const input = z.strictObject({
  program: z.string().optional().describe('Default: your shell'),
  args: z.array(z.string()).optional(),
  name: z.string().optional().describe('The session_id'),
  rows: z.int().optional(),
  cols: z.int().optional(),
  agent: z.string().optional().describe('claude, codex ...'),
  env: z.record(z.string(), z.string()).optional().describe("Besides the server's"),
  cwd: z.string().optional(),
  scrollback: z.int().optional(),
  wait_ready: z.boolean().optional().describe('Default: for shells'),
  ready_timeout_ms: ms().optional(),
  revive: z.boolean().optional().describe('Start ended `name` again'),
});

const defaultReadyMs = 5_000;
const agentReadyMs = 30_000;

export const createSession = defineTool({
  name: 'terminal__create_session',
  title: 'Create session',
  description:
    'Start a terminal session (a pty, as in tmux): a persistent shell, or any interactive program, TUI or REPL. It stays until destroyed or long unused.',
  annotations: makes,
  isCore: true,
  input,
  output: z.object({
    session_id: z.string(),
    pid: z.int(),
    program: z.string(),
    dimensions,
    ready: z.boolean().optional(),
    missing_env: z.array(z.string()).optional(),
  }),
  always: ['session_id', 'pid', 'ready'],
  async run(args, caller, call) {
    const coordinator = await caller.host.start();
    const session: SessionInfo & Partial<RevivedSession> = await spawnWithin(
      coordinator,
      args,
      caller,
    );
    caller.service.onCreate(session.name);
    const { name, pid, program, size } = session;
    const isUsual = caller.isLean && isSameSize(caller.createdSize, size);
    const isAsked =
      caller.isLean && args.program !== undefined && basename(args.program) === basename(program);
    caller.createdSize = size;
    caller.marks.onCreate(session);
    const waits = args.wait_ready ?? (args.agent !== undefined || isPromptingShell(session));
    const ready = waits ? await isReadyOrGone(coordinator, session, args, caller, call) : undefined;
    return {
      session_id: name,
      pid,
      program: isAsked ? undefined : program,
      dimensions: isUsual ? undefined : { rows: size.rows, cols: size.cols },
      ...defined({ ready }),
      ...missingIn(session, caller),
    };
  },
});

/**
 * Returns the names of the variables that the program lacks: those of the ended session, and the server's own
 * that look like secrets, which are named to a client once, and again if they are others.
 */
function missingIn(
  { missingEnv = [], environment }: SessionInfo & Partial<RevivedSession>,
  caller: Caller,
): { missing_env?: string[] } {
  const { notPassed = [] } = environment ?? {};
  const isKnown = caller.isLean && notPassed.every((each) => caller.notPassed.includes(each));
  caller.notPassed = notPassed;
  const names = [...new Set([...missingEnv, ...(isKnown ? [] : notPassed)])];
  return names.length === 0 ? {} : { missing_env: names };
}

type Arguments = z.infer<typeof input>;

/** @throws VtrError MAX_SESSIONS; as `Coordinator.spawn` */
function spawnWithin(
  coordinator: Coordinator,
  args: Arguments,
  caller: Caller,
): Promise<SessionInfo> {
  return caller.oneAtATime(async () => {
    const { maxSessions } = caller.options;
    const counted = (await coordinator.list()).filter((each) => isCounted(each, caller));
    if (counted.length >= maxSessions) {
      const message = `${counted.length} of your ${maxSessions} sessions run`;
      throw new VtrError('MAX_SESSIONS', message);
    }
    try {
      return await (args.revive
        ? revived(coordinator, args, caller)
        : coordinator.spawn(spawnRequest(args, caller)));
    } catch (error) {
      throw withHint(asVtrError(error), args);
    }
  });
}

/** Starts an ended session again: in its size, below its lines. */
function revived(
  coordinator: Coordinator,
  { name, program, args, env, cwd, rows, cols, scrollback }: Arguments,
  { options }: Caller,
): Promise<RevivedSession> {
  if (name === undefined || [rows, cols, scrollback].some((each) => each !== undefined)) {
    const message = 'revive needs name, and keeps the size and the scrollback of the session';
    throw new VtrError('INVALID_ARGUMENT', message);
  }
  return coordinator.revive(name, {
    ...defined({ program, args, cwd, caller: options.environment }),
    env: { TERM: options.term, ...env },
  });
}

/** Adds how to give arguments, if the program looks like a command line. */
function withHint(error: VtrError, { program = '', args = [] }: Arguments): VtrError {
  const [word, ...words] = program.trim().split(/\s+/);
  if (error.code !== 'PROGRAM_NOT_FOUND' || words.length === 0 || args.length > 0) return error;
  const split = JSON.stringify({ program: word, args: words });
  const line = JSON.stringify({ program: 'sh', args: ['-c', program] });
  return new VtrError(error.code, `${error.message}: ${split}, or a shell line: ${line}`, {
    cause: error,
  });
}

/** Each client has a limit of its own. Sessions of clients that are gone end when they were unused for long. */
const isCounted = ({ id, state }: SessionInfo, { marks }: Caller): boolean =>
  state === 'running' && marks.hasMade(id);

function spawnRequest(
  { name, program, args, agent, rows, cols, env, cwd, scrollback }: Arguments,
  { options, agent: by }: Caller,
) {
  const { size, shell, term, scrollbackLines, idleMs, isElsewhere, environment } = options;
  const chosen = program ?? (agent === undefined ? shell : undefined);
  const lines = scrollback ?? scrollbackLines;
  return {
    by,
    ...defined({ name, scrollbackLines: lines }),
    ...(idleMs === 0 ? {} : { lifetime: { idleMs } }),
    ...defined({ program: chosen, args, agent }),
    size: { cols: cols ?? size.cols, rows: rows ?? size.rows },
    env: { TERM: term, ...env },
    ...defined({ caller: environment }),
    ...(cwd === undefined && isElsewhere ? {} : { cwd: cwd ?? options.cwd }),
  };
}

/** Returns whether the program is an interactive shell: one without a script and without `-c`. */
function isPromptingShell({ program, args }: SessionInfo): boolean {
  const onlyFlags = args.every((arg) => arg.startsWith('-') && !/^-[a-z]*c/.test(arg));
  return isShell(basename(program)) && onlyFlags;
}

/** Waits for the prompt. If the wait fails, removes a new session, because the client never learns its name. */
async function isReadyOrGone(
  coordinator: Coordinator,
  session: SessionInfo,
  args: Arguments,
  caller: Caller,
  call: Call,
): Promise<boolean> {
  try {
    return await isReady(coordinator, session, args, caller, call);
  } catch (error) {
    // A cancelled call ends the wait, not the program.
    if (call.signal.aborted || args.revive) throw error;
    await ignored(
      coordinator.remove(session, { force: true }),
      'the caller gets the error that came first',
    );
    caller.service.destroyed(session.name);
    throw error;
  }
}

/** Returns whether a prompt appears. A program that waits for input counts: the pattern may not match its prompt. */
async function isReady(
  coordinator: Coordinator,
  { name, id }: SessionInfo,
  { ready_timeout_ms, agent }: Arguments,
  { options }: Caller,
  call: Call,
): Promise<boolean> {
  const isAgent = agent !== undefined;
  const timeoutMs = ready_timeout_ms ?? (isAgent ? agentReadyMs : defaultReadyMs);
  const shell = { prompt: true, asks: true, ...promptPatternOf(options) };
  const request = {
    ...(isAgent ? { agent: ['idle', 'asks'] as const } : shell),
    timeoutMs: Math.min(timeoutMs, options.maxWaitMs),
    signal: call.signal,
  };
  const { outcome } = await reporting(call, coordinator.wait({ name, id }, request));
  return outcome === 'prompt' || outcome === 'agent' || (outcome === 'awaiting_input' && !isAgent);
}
