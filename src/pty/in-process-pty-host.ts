import { randomUUID } from 'node:crypto';
import { asVtrError, checkSize, defaultSize, type EndOptions, VtrError } from '#model';
import { InProcessPty } from './in-process-pty.ts';
import { masterFds } from './io/master-fds.ts';
import { type Helper, SttyModes } from './io/stty-modes.ts';
import {
  type AdoptedPty,
  defaultLogBytes,
  type Pty,
  type PtyHost,
  type PtySpawnRequest,
} from './port.ts';
import type { ProcessEntry, ProcessTable } from './processes/process-table.ts';
import { SessionProcesses } from './processes/session-processes.ts';
import { systemProcessTable } from './processes/shared-listing.ts';
import { checkCwd, checkStrings } from './start/check-request.ts';
import { sessionIdVariable, sessionNameVariable } from './start/environment.ts';
import { type Forked, type LoadedBinding, loadBinding } from './start/native-binding.ts';
import { resolveProgram } from './start/resolve-program.ts';
import { checkHeadroom, forkRefused } from './start/system-limits.ts';

export interface PtyHostOptions {
  /** Called with the error of a listener that threw, which is then removed. */
  readonly onListenerError?: (error: unknown) => void;
}

/**
 * Returns a host whose pseudo-terminals belong to this process. While it has any, this process must
 * not start children by other means: they would inherit the masters.
 *
 * @throws VtrError SPAWN_FAILED if this platform is not supported.
 */
export function createPtyHost(options: PtyHostOptions = {}): PtyHost {
  return new InProcessPtyHost(loadBinding(), options);
}

class InProcessPtyHost implements PtyHost {
  readonly #binding: LoadedBinding;
  readonly #onListenerError: (error: unknown) => void;
  readonly #table: ProcessTable = systemProcessTable();
  readonly #ptys = new Set<Pty>();
  readonly #modes = new SttyModes((program, args) => this.#startHelper(program, args));
  #closed = false;

  constructor(binding: LoadedBinding, options: PtyHostOptions) {
    this.#binding = binding;
    this.#onListenerError = options.onListenerError ?? (() => {});
  }

  async spawn(request: PtySpawnRequest): Promise<Pty> {
    this.#checkOpen();
    checkSize(request.size);
    checkStrings(request);
    // Asynchronous, because the file system may not respond.
    await checkCwd(request.cwd);
    const { PATH } = request.env;
    const program = await resolveProgram(request.program, request.cwd, PATH);
    this.#checkOpen();
    checkHeadroom();
    return this.#start(request, program);
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

  async close(options: EndOptions = {}): Promise<void> {
    this.#closed = true;
    const endings = await Promise.allSettled([...this.#ptys].map((pty) => pty.end(options)));
    const failures = endings.filter((each) => each.status === 'rejected');
    if (failures.length === 0) return;
    const messages = failures.map((each) => asVtrError(each.reason).message);
    throw new VtrError('PTY_ERROR', messages.join('; '));
  }

  #checkOpen(): void {
    if (this.#closed)
      throw new VtrError('UNAVAILABLE', 'the PTY host is closed; create another one');
  }

  /** A helper is forgotten without an ending, which would list all processes of the system. */
  async #startHelper(program: string, args: readonly string[]): Promise<Helper> {
    this.#checkOpen();
    checkHeadroom();
    const pty = await this.#start(helperRequest(program, args), program);
    return { pty, forget: () => this.#ptys.delete(pty) };
  }

  async #start(request: PtySpawnRequest, program: string): Promise<Pty> {
    const forkedAfter = this.#table.now();
    let pty: InProcessPty | null = null;
    const forked = this.#fork(request, program, (code, signal) => pty?.handleExit(code, signal));
    // No await before the assignment of `pty`: the next event may be the exit.
    const processes = new SessionProcesses(this.#table, {
      leaderPid: forked.pid,
      leader: this.#table.find(forked.pid),
      forkedAfter,
      terminal: forked.pty,
      markerId: request.marker.id,
    });
    try {
      pty = new InProcessPty({
        native: this.#binding.native,
        forked,
        program,
        logBytes: request.logBytes ?? defaultLogBytes,
        processes,
        readModes: () => this.#modes.read(forked.pty),
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

  #fork(
    request: PtySpawnRequest,
    program: string,
    onExit: (code: number, signal: number) => void,
  ): Forked {
    const { native, helperPath } = this.#binding;
    const { args, cwd, size } = request;
    const env = environmentPairs(request);
    try {
      masterFds.closeGaps();
      return native.fork(
        program,
        args,
        env,
        cwd,
        size.cols,
        size.rows,
        -1,
        -1,
        true,
        helperPath,
        onExit,
      );
    } catch (error) {
      throw forkRefused(error);
    }
  }
}

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
