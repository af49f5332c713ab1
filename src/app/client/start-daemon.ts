import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { earlyCode } from '#base';
import {
  areSessionsLeft,
  isListening,
  logFileOf,
  openLog,
  readDaemonRecord,
  type UserEnvironment,
} from '#config';
import { exitClause, flow, isAddress, VtrError } from '#model';

/** The command that serves as the daemon, and the environment it inherits. */
export interface DaemonCommand {
  /** Path of the `vtr` program. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long a supervisor may take to start a daemon again, in ms; calls wait for it. */
const supervisorMs = 1_500;
const pollMs = 20;

/** The one message that a daemon sends to the process that started it. */
export type DaemonReport =
  | { readonly serving: number }
  | { readonly running: number | null }
  | { readonly nothingLeft: true }
  | { readonly failed: Pick<VtrError, 'code' | 'message' | 'details'> };

export interface StartedDaemon {
  /** Null if the daemon that already ran did not report it. */
  readonly pid: number | null;
  /** Whether a daemon already ran at the socket. */
  readonly wasRunning: boolean;
}

/**
 * Set for `vtr serve` when it has no terminal: to {@link ifLeft} if it must not serve where no sessions
 * are left, because they were ended meanwhile; to {@link asSuccessor} by the daemon that it follows. `vtr serve` removes
 * it, so sessions do not inherit it.
 */
export const backgroundVariable = 'VTR_IN_BACKGROUND';

/**
 * Starts a daemon that outlives this process. Resolves when it serves.
 *
 * @param socket or an address, where `vtr connect --start` starts it
 * @param flags for `vtr serve`; default those of a daemon that was killed
 * @param when {@link asSuccessor} if the daemon at the socket starts it, and is about to end
 * @throws VtrError the daemon's own failure; UNAVAILABLE if it exits or hangs before it serves; SYSTEM_LIMIT
 * if a limit keeps it from starting
 */
export async function startDaemon(
  command: DaemonCommand,
  socket: string,
  flags: readonly string[] = readDaemonRecord(socket)?.flags ?? [],
  when: DaemonStart = '1',
): Promise<StartedDaemon> {
  if (isAddress(socket)) {
    await isReached(command, socket, { start: true });
    return { pid: null, wasRunning: false };
  }
  const report = await launch(daemonCommand(command, socket, flags, when));
  if ('failed' in report) {
    const { code, message, details } = report.failed;
    throw new VtrError(code, message, { details });
  }
  if ('serving' in report) return { pid: report.serving, wasRunning: false };
  return { pid: 'running' in report ? report.running : null, wasRunning: true };
}

/** An attempt to reach a coordinator at an address. */
export interface Attempt {
  /** Its longest duration, in ms. Default: 30,000; none if ssh may ask a person. */
  readonly connectMs?: number;
  /** Whether ssh may ask a person. Default: whether one can answer here. */
  readonly mayPrompt?: boolean;
}

/**
 * Which daemon may be started where none answers: none; one for sessions that are left without one, because a PTY
 * host runs or they are saved; or one in any case. Where no sessions are left, a daemon would have none (ADR 0025).
 */
export type MayStart = 'never' | 'if_left' | 'always';

/**
 * Finds out whether a daemon serves, and starts one if that is allowed. At an address, `vtr connect` there starts one
 * for sessions that are left, whatever is allowed here.
 *
 * @returns whether one serves now; with `never`, also whether another process can start one for sessions that are left
 * @throws VtrError as {@link startDaemon}
 */
export async function reachDaemon(
  command: DaemonCommand,
  socket: string,
  mayStart: MayStart,
  attempt: Attempt = {},
): Promise<boolean> {
  if (mayStart === 'always') return startDaemon(command, socket).then(() => true);
  if (isAddress(socket)) return isReached(command, socket, attempt);
  if (await isListening(socket)) return true;
  if (!(await areSessionsLeft(command, socket))) return false;
  if (mayStart === 'never') return true;
  const { flags = [], inForeground = false } = readDaemonRecord(socket) ?? {};
  if (inForeground && (await isSupervised(socket))) return true;
  const report = await launch(daemonCommand(command, socket, flags, ifLeft));
  if ('failed' in report) {
    const { code, message, details } = report.failed;
    const text = `sessions are left without a daemon, which cannot start: ${message}`;
    throw new VtrError(code, text, { details });
  }
  return !('nothingLeft' in report);
}

/** Whether a supervisor starts the daemon soon. It would fail if another one served. */
async function isSupervised(socket: string): Promise<boolean> {
  for (const lastMs = performance.now() + supervisorMs; performance.now() < lastMs; ) {
    await delay(pollMs);
    if (await isListening(socket)) return true;
  }
  return false;
}

/**
 * Whether a daemon answers at an address. `vtr connect` there starts one for sessions that are left.
 *
 * @throws VtrError UNAVAILABLE
 */
async function isReached(
  { env }: UserEnvironment,
  address: string,
  attempt: Attempt & { readonly start?: boolean },
): Promise<boolean> {
  const { reaches } = await import('#transport');
  return reaches(address, { env, ...attempt });
}

/** Starts of a daemon that is killed before it answers. */
const maxStarts = 4;

/** Starts a daemon; again, if it is killed before it answers. */
async function launch(command: ReturnType<typeof daemonCommand>): Promise<DaemonReport> {
  for (let starts = 1; ; starts++) {
    const report = await launchOnce(command);
    if (!('failure' in report)) return report;
    const { failure, signal = null, reached = await limitsOfStart(signal) } = report;
    const message = `the daemon ${failure}`;
    if (reached !== '') {
      const text = `${message}; reached: ${reached}; end programs or raise the limit`;
      throw new VtrError('SYSTEM_LIMIT', text);
    }
    if (signal !== null && starts < maxStarts) continue;
    throw new VtrError('UNAVAILABLE', `${message}; see ${command.log}`);
  }
}

/** How often it is checked whether a daemon can start that has not answered, in ms. */
const checkMs = 5_000;
/** The time after which it is taken to hang, in ms: it may wait for another one, and restore many sessions. */
const hangMs = 120_000;

/** A daemon that has ended, or was ended, before it answered. */
interface NotStarted {
  /** What became of it. */
  readonly failure: string;
  /** The signal that ended it, if somebody else or Node.js itself did. */
  readonly signal?: NodeJS.Signals | null;
  /** The limits that kept it from starting, where they are known. */
  readonly reached?: string;
}

function launchOnce({
  program,
  args,
  cwd,
  env,
  log: logFile,
}: ReturnType<typeof daemonCommand>): Promise<DaemonReport | NotStarted> {
  const log = openLog(logFile);
  const child = spawn(program, args, {
    cwd,
    detached: true,
    env,
    stdio: ['ignore', 'ignore', log ?? 'ignore', 'ipc'],
  });
  if (log !== null) closeSync(log);
  return new Promise((resolve) => {
    const stopChecks = endIfHanging(child, resolve);
    const end = (report: DaemonReport | NotStarted) => {
      stopChecks();
      resolve(report);
    };
    child.once('message', (report) => {
      child.disconnect();
      child.unref();
      end(report as DaemonReport);
    });
    child.once('error', ({ message }) => end({ failure: `could not be started (${message})` }));
    // `exit` may be emitted before the daemon's last message; `close` is not.
    child.once('close', (code, signal) => {
      const how = exitClause({ code, signal });
      end({ failure: `${how} before it answered`, signal });
    });
  });
}

/**
 * Kills a daemon that cannot start: Node.js waits for ever where it cannot create a thread.
 *
 * @returns ends the checks
 */
function endIfHanging(child: ChildProcess, onEnded: (end: NotStarted) => void): () => void {
  let isOver = false;
  const check = async (afterMs: number) => {
    const reached = await limitsOfStart();
    if (isOver) return;
    if (reached === '' && afterMs < hangMs) {
      plan(afterMs + checkMs);
      return;
    }
    onEnded({ failure: `hung for ${afterMs / 1e3} s before it answered`, reached });
    child.kill('SIGKILL');
  };
  const plan = (afterMs: number) => {
    timer = setTimeout(() => void check(afterMs), checkMs);
  };
  let timer: NodeJS.Timeout;
  plan(checkMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Loaded only if a daemon does not answer. */
const limitsOfStart = async (signal: NodeJS.Signals | null = null): Promise<string> =>
  (await import('#app/daemon')).limitsOfStart(signal);

/** A value of {@link backgroundVariable}. */
export const ifLeft = 'if-left';
/** A value of {@link backgroundVariable}: the daemon before is ending, so all code is loaded while it has the claim. */
export const asSuccessor = 'successor';

type DaemonStart = '1' | typeof ifLeft | typeof asSuccessor;

/**
 * With the default of 16 MB, two of which V8 keeps, the garbage of a thousand sessions would take as much
 * memory as half of the sessions. The other flag lets V8 collect garbage that has become old from 24 MB on, which a
 * start does not reach; by default it let 40 MB of it grow in a minute of floods (ADR 0028). The third is explained in
 * `flow.heap`, the fourth in `earlyCode`. The last one is Node's: one thread that compiles and collects garbage beside the
 * main one, in place of four, which took all processors from it while new code was compiled (ADR 0170).
 */
export const nodeArgs = [
  '--max-semi-space-size=4',
  '--initial-old-space-size=24',
  `--heap-growing-percent=${flow.heap.growingPercent}`,
  ...earlyCode(process.versions.v8),
  '--v8-pool-size=1',
];

/** Returns the command that runs a daemon in the background. */
export const daemonCommand = (
  { program, env }: DaemonCommand,
  socket: string,
  flags: readonly string[],
  when: DaemonStart = '1',
) => ({
  program: process.execPath,
  args: [...nodeArgs, program, 'serve', '--socket', socket, ...flags],
  env: { ...withoutSession(env), [backgroundVariable]: when },
  // Any other directory could not be unmounted while the daemon runs.
  cwd: '/',
  log: logFileOf(socket),
});

/** Otherwise a daemon started from inside a session would be ended with that session's descendants. */
function withoutSession(env: DaemonCommand['env']): Record<string, string> {
  const { VTR_SESSION: _name, VTR_SESSION_ID: _id, ...others } = env;
  return { ...(others as Record<string, string>), VTR_APART: '1' };
}
