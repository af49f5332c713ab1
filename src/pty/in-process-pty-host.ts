import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Disposable, defined, toDisposable } from '#base';
import {
  asVtrError,
  checkSize,
  defaultSize,
  type EndOptions,
  sessionIdVariable,
  sessionNameVariable,
  VtrError,
} from '#model';
import { InProcessPty } from './in-process-pty.ts';
import { LogBudget } from './io/output-log.ts';
import { SttyModes } from './io/stty-modes.ts';
import {
  type AdoptedPty,
  defaultLogBytes,
  type Foreground,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
} from './port.ts';
import { type ProcessEntry, type ProcessTable, sessionMark } from './processes/process-table.ts';
import { SessionProcesses } from './processes/session-processes.ts';
import { systemProcessTable } from './processes/shared-listing.ts';
import { checkPlatform, loadBinding } from './start/load-binding.ts';
import type { PtyBinding } from './start/pty-binding.ts';
import { checkProgram, checkStrings } from './start/resolve-program.ts';
import { checkHeadroom, forkRefused } from './start/system-limits.ts';
import { type DetachedCommand, type DetachedProgram, DetachedStart } from './start-detached.ts';

export interface PtyHostOptions {
  /** Called with the error of a listener that threw, which is then removed. */
  readonly onListenerError?: (error: unknown) => void;
  /** The most output that is kept for late readers, in bytes, of all programs; default no limit. */
  readonly maxLogBytes?: number;
}

/** A `Pty` whose pseudo-terminal belongs to this process. */
export interface OwnedPty extends Pty {
  /** Stops reading until `resume`, as `pause` does, but delivers what was read, and the exit. */
  holdBack(): void;
  /** Whether each read is small, as next to other terminals that flood; default false. */
  hasSmallReads: boolean;
  /** @param withTrace whether to read {@link Foreground.trace} as well */
  foreground(
    listed?: readonly ProcessEntry[],
    withDirectory?: boolean,
    withTrace?: boolean,
  ): Promise<Foreground>;
}

/** A host whose pseudo-terminals belong to this process. */
export interface OwningPtyHost extends PtyHost {
  spawn(request: PtySpawnRequest): Promise<OwnedPty>;
  /**
   * Starts a program that is not a child of this process, has no terminal, and does not inherit
   * masters.
   */
  startDetached(command: DetachedCommand): DetachedProgram;
}

/**
 * Returns a host whose pseudo-terminals belong to this process. While it has any, this process should
 * not start children by other means: without the binding to the C library they inherit the masters.
 *
 * @param load called for the first program; throws VtrError SPAWN_FAILED
 * @throws VtrError SPAWN_FAILED if this platform is not supported.
 */
export function createPtyHost(
  options: PtyHostOptions = {},
  load: () => PtyBinding = loadBinding,
): OwningPtyHost {
  checkPlatform();
  return new InProcessPtyHost(load, options);
}

class InProcessPtyHost implements OwningPtyHost {
  readonly #load: () => PtyBinding;
  readonly #onListenerError: (error: unknown) => void;
  readonly #table: ProcessTable = systemProcessTable();
  readonly #ptys = new Set<Pty>();
  readonly #modes = new SttyModes((program, args) => this.#startHelper(program, args));
  readonly #logBudget: LogBudget | null;
  #loaded: PtyBinding | null = null;
  #closed = false;

  constructor(load: () => PtyBinding, options: PtyHostOptions) {
    const { maxLogBytes } = options;
    this.#load = load;
    this.#logBudget = maxLogBytes === undefined ? null : new LogBudget(maxLogBytes);
    this.#onListenerError = options.onListenerError ?? (() => {});
  }

  async spawn(request: PtySpawnRequest): Promise<OwnedPty> {
    if (process.versions['bun'] !== undefined) {
      // Its streams do not read a pseudo-terminal: the program would seem to have ended.
      const message = 'Bun cannot run the pseudo-terminals of vtr; use Node.js 20.19 or newer';
      throw new VtrError('SPAWN_FAILED', message);
    }
    this.#checkOpen();
    checkSize(request.size);
    checkStrings(request);
    // Asynchronous, because the file system may not respond.
    const program = await checkProgram(request.program, request.cwd, request.env['PATH']);
    this.#checkOpen();
    checkHeadroom(this.#binding.tasksNeeded);
    const mark = this.#binding.canMark ? sessionMark(request.marker.id) : null;
    return this.#start(request, program, mark);
  }

  listProcesses(): Promise<readonly ProcessEntry[]> {
    return this.#table.list();
  }

  async adopt(): Promise<readonly AdoptedPty[]> {
    return [];
  }

  async detach(): Promise<void> {
    const message = 'the programs end with this process; it is their PTY host';
    throw new VtrError('UNAVAILABLE', message);
  }

  startDetached({ program, args, env, cwd, log = '' }: DetachedCommand): DetachedProgram {
    const starter = ['-e', detachedScript, cwd, log, program, ...args];
    return new DetachedStart(program, this.#table, () =>
      this.#startHelper(process.execPath, starter, env),
    );
  }

  onDeprived(): Disposable {
    return toDisposable(() => {});
  }

  async close(options: EndOptions = {}): Promise<void> {
    this.#closed = true;
    const endings = await Promise.allSettled([...this.#ptys].map((pty) => pty.end(options)));
    const failures = endings.filter((each) => each.status === 'rejected');
    if (failures.length === 0) return;
    const messages = failures.map((each) => asVtrError(each.reason).message);
    throw new VtrError('PTY_ERROR', messages.join('; '));
  }

  get #binding(): PtyBinding {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  #checkOpen(): void {
    if (this.#closed)
      throw new VtrError('UNAVAILABLE', 'the PTY host is closed; create another one');
  }

  /** A helper is forgotten without an ending, which would list all processes of the system. */
  async #startHelper(program: string, args: readonly string[], env?: PtySpawnRequest['env']) {
    this.#checkOpen();
    checkHeadroom(this.#binding.tasksNeeded);
    const request = { ...helperRequest(program, args), ...defined({ env }) };
    const pty = await this.#start(request, program);
    return { pty, forget: () => this.#release(pty) };
  }

  #release(pty: Pty): void {
    this.#ptys.delete(pty);
    pty.forget();
  }

  /** @param mark see `sessionMark` */
  async #start(
    request: PtySpawnRequest,
    program: string,
    mark: bigint | null = null,
  ): Promise<OwnedPty> {
    const forkedAfter = this.#table.now();
    let pty: InProcessPty | null = null;
    let isReaped = false;
    const binding = this.#binding;
    const { args, cwd, size } = request;
    const start = { file: program, args, env: environmentPairs(request), cwd, size, mark };
    const started = binding.start(start, (status) => {
      isReaped = true;
      pty?.handleExit(status);
    });
    // Read when the caller has its answer. Once the leader was reaped, its pid may be that of another process.
    const leader = nextTurn()
      .then(() => (isReaped ? null : this.#table.find(started.pid)))
      .catch(() => null);
    // No await before the assignment of `pty`: the next event may be the exit.
    const processes = new SessionProcesses(this.#table, {
      leaderPid: started.pid,
      leader,
      forkedAfter,
      terminal: started.terminal,
      markerId: request.marker.id,
      mark,
    });
    try {
      pty = new InProcessPty({
        binding,
        started,
        program,
        logBytes: request.logBytes ?? defaultLogBytes,
        logBudget: this.#logBudget,
        processes,
        readModes: () => this.#modes.read(started.terminal),
        onListenerError: this.#onListenerError,
        onEnded: () => pty !== null && this.#ptys.delete(pty),
      });
    } catch (error) {
      await processes.signalLeaderGroup('SIGKILL');
      throw forkRefused(error);
    }
    this.#ptys.add(pty);
    return pty;
  }
}

/**
 * Starts a program in a session of its own: `node -e SCRIPT CWD LOG PROGRAM ARGS...`. The environment
 * is not in the arguments, which other users can read.
 */
const detachedScript = `
const { spawn } = require('node:child_process');
const { constants, openSync } = require('node:fs');
const [cwd, log, program, ...args] = process.argv.slice(1);
const { ${sessionNameVariable}: name, ${sessionIdVariable}: id, ...env } = process.env;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
let stderr = 'ignore';
try {
  if (log !== '') stderr = openSync(log, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
} catch {}
const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', stderr] });
child.once('spawn', () => {
  // A text: numbers are coloured at a terminal.
  console.log(String(child.pid));
  process.exit(0);
});
child.once('error', (error) => {
  console.log(error.message);
  process.exit(1);
});
`;

/** In the C locale, so that its output can be parsed. */
function helperRequest(program: string, args: readonly string[]): PtySpawnRequest {
  return {
    program,
    args,
    cwd: '/',
    env: { LC_ALL: 'C', PATH: process.env['PATH'] ?? '' },
    size: defaultSize,
    marker: { name: 'vtr-helper', id: randomUUID() },
    logBytes: 4_096,
  };
}

function environmentPairs({ env, marker }: PtySpawnRequest): string[] {
  const marked = { ...env, [sessionNameVariable]: marker.name, [sessionIdVariable]: marker.id };
  return Object.entries(marked).map(([name, value]) => `${name}=${value}`);
}
