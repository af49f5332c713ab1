import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { VtrError } from '#model';
import { sessionIdVariable, sessionNameVariable } from '../start/environment.ts';
import { limitsOfStart, taskLimitsOfStart } from '../start/system-limits.ts';
import { type ConnectOptions, connectPtyHost } from './connect-pty-host.ts';
import type { HostedPtyHost } from './hosted-pty-host.ts';

export interface StartOptions extends Pick<ConnectOptions, 'onListenerError' | 'survival'> {
  /** Path of the program of the host. */
  readonly script: string;
  /** Path of its socket, in a directory that only this user may enter. */
  readonly socket: string;
  readonly version: string;
  /** The environment of the host, not of the programs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options for Node. */
  readonly nodeArgs?: readonly string[];
  /** Fd for the log; default none. */
  readonly log?: number | 'inherit';
  /** Called with the signal or the exit status of a host that ended by itself. */
  readonly onKilled?: (how: string) => void;
  /** Path at which the socket is reached; default itself. */
  readonly reachedAt?: string;
}

export interface StartedPtyHost {
  readonly host: HostedPtyHost;
  readonly pid: number;
}

/**
 * Starts a PTY host in a process of its own, which does not belong to the terminal or the process
 * group of this one.
 *
 * @throws VtrError UNAVAILABLE if it does not start, SYSTEM_LIMIT if a limit is the reason
 */
export async function startPtyHost(options: StartOptions): Promise<StartedPtyHost> {
  const { script, socket, version, log = 'ignore', nodeArgs = [] } = options;
  const child = spawn(process.execPath, [...nodeArgs, script, socket, version], {
    // Any other directory could not be unmounted while the host runs.
    cwd: '/',
    detached: true,
    env: withoutSession(options.env),
    stdio: ['ignore', 'pipe', log],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await untilReady(child);
  child.stdout?.destroy();
  child.unref();
  // The host removes it, unless it is killed.
  void exited.then(() => rmSync(socket, { force: true }));
  checkThreads(child);
  child.once('exit', (code, signal) => {
    if (code !== 0) options.onKilled?.(howEnded(code, signal));
  });
  const { onListenerError, survival, reachedAt = socket } = options;
  const untilExited = () => {
    // Otherwise this process could exit first.
    child.ref();
    return exited;
  };
  const host = await connectPtyHost({
    ...{ socket: reachedAt, version, untilExited },
    ...(onListenerError === undefined ? {} : { onListenerError }),
    ...(survival === undefined ? {} : { survival }),
  });
  return { host, pid: child.pid ?? 0 };
}

/** Node.js creates more threads when it needs them first, and aborts where it cannot. @throws VtrError SYSTEM_LIMIT */
function checkThreads(host: ChildProcess): void {
  const reached = taskLimitsOfStart();
  if (reached === '') return;
  host.kill('SIGKILL');
  throw new VtrError('SYSTEM_LIMIT', `the PTY host cannot create its threads; reached: ${reached}`);
}

/** How often it is checked whether a host can start that does not listen yet, in ms. */
const checkMs = 5_000;

/** Resolves when the host listens. Ends one that a limit keeps from starting: Node.js would wait for ever. */
async function untilReady(child: ChildProcess): Promise<void> {
  let check: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (how: string, reached = limitsOfStart()) => {
      const message = `the PTY host did not start: ${how}`;
      const limit = new VtrError('SYSTEM_LIMIT', `${message}; reached: ${reached}`);
      reject(reached === '' ? new VtrError('UNAVAILABLE', message) : limit);
    };
    check = setInterval(() => {
      const reached = limitsOfStart();
      if (reached === '') return;
      fail('it hung', reached);
      child.kill('SIGKILL');
    }, checkMs);
    child.stdout?.once('data', () => resolve());
    child.once('error', ({ message }) => fail(message));
    child.once('exit', (code, signal) => fail(howEnded(code, signal)));
  });
  await ready.finally(() => clearInterval(check));
}

const howEnded = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`;

/** Otherwise the host would be taken for a descendant of the session in which it was started. */
function withoutSession(env: StartOptions['env']): StartOptions['env'] {
  const { [sessionNameVariable]: _name, [sessionIdVariable]: _id, ...others } = env;
  return others;
}
