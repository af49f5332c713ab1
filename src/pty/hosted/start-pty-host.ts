import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { defined, ignored } from '#base';
import { exitClause, flow, sessionIdVariable, sessionNameVariable, VtrError } from '#model';
import { limitsOfStart, taskLimitsOfStart } from '../start/system-limits.ts';
import { HostConnection, type Survival } from './host-connection.ts';
import { HostedPtyHost, type HostedPtyHostOptions } from './hosted-pty-host.ts';

export interface UseOptions extends Pick<ConnectOptions, 'onListenerError' | 'survival'> {
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
 * Starts a PTY host in a process of its own.
 *
 * @throws VtrError as {@link useHostProcess}
 */
export const startPtyHost = (options: LaunchOptions & UseOptions): Promise<StartedPtyHost> =>
  useHostProcess(PtyHostProcess.launch(options), options);

/**
 * Connects to a host once it listens.
 *
 * @throws VtrError UNAVAILABLE if it does not start, SYSTEM_LIMIT if a limit is the reason
 */
export async function useHostProcess(
  started: PtyHostProcess,
  { onListenerError, onKilled = () => {}, survival, reachedAt = started.socket }: UseOptions,
): Promise<StartedPtyHost> {
  await started.listen(onKilled);
  const host = await connectPtyHost({
    socket: reachedAt,
    version: started.version,
    untilExited: () => started.untilExited(),
    ...defined({ onListenerError, survival }),
  });
  return { host, pid: started.pid };
}

export interface LaunchOptions {
  /** Path of the program of the host. */
  readonly script: string;
  /** Path of its socket, in a directory that only this user may enter. */
  readonly socket: string;
  readonly version: string;
  /** The environment of the host, not of the programs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options for Node. Default: {@link nodeArgsOfHost}. */
  readonly nodeArgs?: readonly string[];
  /** Fd for the log; default none. */
  readonly log?: number | 'inherit';
}

/**
 * With the default of 16 MB, the garbage of a thousand sessions would take 106 MB of memory in place of
 * 87. By default, V8 keeps garbage in the old space until that is large: with 50 sessions a second that come and go, the
 * memory of a host grew by 2.7 MB a minute. From 16 MB on, V8 looks for it, and the memory stays at 84 MB.
 */
const nodeArgsOfHost = [
  '--max-semi-space-size=4',
  '--initial-old-space-size=16',
  `--heap-growing-percent=${flow.heap.growingPercent}`,
];

/** How often it is checked whether a host can start that does not listen yet, in ms. */
const checkMs = 5_000;
/**
 * A host that was told to listen and does not at this check is ended: a client waits 30 s for its spawn. The time of a
 * suspension counts as one check.
 */
const lastCheck = 4;

/**
 * The process of a PTY host, which does not belong to the terminal or the process group of this one. It
 * loads its program, and waits until it is told to listen. It exits if this process does before.
 */
export class PtyHostProcess {
  readonly pid: number;
  readonly socket: string;
  readonly version: string;
  readonly #child: ChildProcess;
  /** Resolves when it has exited. */
  readonly #exited: Promise<void>;
  /** Rejects if it does not start. */
  readonly #ready: Promise<void>;
  /** Whether it was told to listen, or abandoned. */
  #isDecided = false;

  private constructor(child: ChildProcess, { socket, version }: LaunchOptions) {
    this.pid = child.pid ?? 0;
    this.socket = socket;
    this.version = version;
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.#ready = untilReady(child);
    ignored(this.#ready, 'listen() reports it');
    // It exited before it was told.
    child.stdin?.on('error', () => {});
    // Each would keep a process that fails before listen() from its exit, for which the host waits.
    child.unref();
    for (const pipe of [child.stdin, child.stdout] as (Socket | null)[]) pipe?.unref();
  }

  /** Never fails: {@link listen} does. */
  static launch(options: LaunchOptions): PtyHostProcess {
    const { script, socket, version, log = 'ignore', nodeArgs = nodeArgsOfHost } = options;
    const child = spawn(process.execPath, [...nodeArgs, script, socket, version, 'wait'], {
      // Any other directory could not be unmounted while the host runs.
      cwd: '/',
      detached: true,
      env: environmentOf(options.env),
      stdio: ['pipe', 'pipe', log],
    });
    return new PtyHostProcess(child, options);
  }

  /**
   * Makes it listen at its socket.
   *
   * @param onKilled called with the signal or the exit status if it ends by itself later
   * @throws VtrError UNAVAILABLE if it does not start, SYSTEM_LIMIT if a limit is the reason
   */
  async listen(onKilled: (how: string) => void): Promise<void> {
    const child = this.#child;
    this.#isDecided = true;
    child.ref();
    child.stdin?.end('\n');
    await this.#readyInTime();
    child.stdout?.destroy();
    child.unref();
    // The host removes it, unless it is killed.
    void this.#exited.then(() => rmSync(this.socket, { force: true }));
    checkThreads(child);
    child.once('exit', (code, signal) => {
      if (code !== 0) onKilled(`it ${exitClause({ code, signal })}`);
    });
  }

  /** @throws VtrError UNAVAILABLE also if it hangs; then it is ended */
  async #readyInTime(): Promise<void> {
    let checks = 0;
    let check: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      check = setInterval(() => {
        if (++checks < lastCheck) return;
        const message = `the PTY host did not start: process ${this.pid} hung for ${(checks * checkMs) / 1e3} s, and was ended; try again`;
        reject(new VtrError('UNAVAILABLE', message));
        this.#child.kill('SIGKILL');
      }, checkMs);
    });
    try {
      await Promise.race([this.#ready, late]);
    } finally {
      clearInterval(check);
    }
  }

  /** Resolves when it has exited. This process does not exit before. */
  untilExited(): Promise<void> {
    this.#child.ref();
    return this.#exited;
  }

  /** Ends it if it was not told to listen. */
  abandon(): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
  }
}

/** Node.js creates more threads when it needs them first, and aborts where it cannot. @throws VtrError SYSTEM_LIMIT */
function checkThreads(host: ChildProcess): void {
  const reached = taskLimitsOfStart();
  if (reached === '') return;
  host.kill('SIGKILL');
  throw new VtrError('SYSTEM_LIMIT', `the PTY host cannot create its threads; reached: ${reached}`);
}

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
    }, checkMs).unref();
    child.stdout?.once('data', () => resolve());
    child.once('error', ({ message }) => fail(message));
    child.once('exit', (code, signal) =>
      fail(`it ${exitClause({ code, signal })}`, limitsOfStart(signal)),
    );
  });
  await ready.finally(() => clearInterval(check));
}

/**
 * Returns what a host gets of an environment. With the variables of a session, it would be taken for a descendant of the
 * one in which it was started. Certificates take Node.js 20 half as long again as the rest of its start, and a
 * host opens no connection that needs them.
 */
function environmentOf(env: LaunchOptions['env']): LaunchOptions['env'] {
  const left = [sessionNameVariable, sessionIdVariable, 'NODE_EXTRA_CA_CERTS'];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !left.includes(name)));
}

export interface ConnectOptions extends HostedPtyHostOptions {
  readonly socket: string;
  /** The version of this package. */
  readonly version: string;
  /** Absent: all programs end when the connection ends. */
  readonly survival?: Survival;
}

/**
 * Connects to the PTY host at a socket, as its only coordinator.
 *
 * @throws VtrError UNAVAILABLE
 */
export async function connectPtyHost(options: ConnectOptions): Promise<HostedPtyHost> {
  const { socket, version, survival = null } = options;
  return new HostedPtyHost(await HostConnection.open(socket, version, survival), options);
}
