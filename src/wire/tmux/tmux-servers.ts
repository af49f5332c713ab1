import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CancelSignal,
  Coordinator,
  TmuxAnswer,
  TmuxCalls,
  TmuxControlAnswer,
  TmuxRequest,
} from '#model';
import type { Caller } from './commands/call.ts';
import { findCommand } from './commands/registry.ts';
import { Runner } from './commands/runner.ts';
import { ControlClient } from './control/control-client.ts';
import { environmentOf } from './state/environment.ts';
import { PanePrograms } from './state/pane-programs.ts';
import { restore, savedServers } from './state/saved-labels.ts';
import { type Notice, TmuxServer } from './state/tmux-server.ts';
import { targetOf } from './target/target.ts';
import { TmuxError } from './tmux-error.ts';
import { commandsInWords } from './words/command-line.ts';

export interface TmuxServersOptions {
  /** The process id that programs see in the variable TMUX. */
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly nowMs?: () => number;
  readonly onFault?: (error: unknown) => void;
}

interface Running {
  readonly server: TmuxServer;
  readonly runner: Runner;
}

/** The servers of a coordinator, by their socket paths. One exists while it has sessions. */
export class TmuxServers implements TmuxCalls {
  readonly #programs: PanePrograms;
  readonly #nowMs: () => number;
  readonly #onFault: (error: unknown) => void;
  readonly #running = new Map<string, Running>();
  readonly #controls = new Map<string, ControlClient>();
  #restored: Promise<void> | null = null;
  #nextControl = 0;

  constructor(coordinator: Coordinator, options: TmuxServersOptions) {
    this.#programs = new PanePrograms(coordinator, options.pid);
    this.#nowMs = options.nowMs ?? Date.now;
    this.#onFault = options.onFault ?? (() => {});
  }

  async run(request: TmuxRequest, signal: CancelSignal): Promise<TmuxAnswer> {
    this.#restored ??= this.#restore();
    await this.#restored;
    const commands = commandsInWords(request.words);
    if (commands.length === 0) commands.push(['new-session']);
    const running =
      this.#running.get(request.socketPath) ??
      (request.control || startsServer(commands) ? await this.#start(request) : null);
    if (running === null) return noServer(request.socketPath);
    const caller = callerOf(request, abortOf(signal));
    if (request.control) return this.#begin(running, request, caller);
    const { stdout, stderr, status, attach } = await running.runner.run(commands, caller);
    await this.#settle(running);
    return { stdout, stderr, status, ...(attach === null ? {} : { attach }) };
  }

  async control(
    id: string,
    lines: readonly string[] | null,
    signal: CancelSignal,
  ): Promise<TmuxControlAnswer> {
    const client = this.#controls.get(id);
    if (client === undefined) return { output: '', ended: true };
    if (lines === null) return client.take(signal);
    for (const line of lines) await client.line(line);
    await this.#settle(client.running);
    return { output: '', ended: client.isEnded };
  }

  /** Ends what runs for servers; their sessions belong to the coordinator. */
  dispose(): void {
    for (const client of [...this.#controls.values()]) client.detach('server exited');
    this.#programs.dispose();
  }

  async #restore(): Promise<void> {
    const sessions = await this.#programs.coordinator.list();
    for (const socketPath of savedServers(sessions)) {
      const running = this.#add(socketPath, {});
      restore(running.server, sessions);
      if (running.server.sessions.size === 0) this.#running.delete(socketPath);
    }
  }

  #add(socketPath: string, env: Readonly<Record<string, string>>): Running {
    const server = new TmuxServer({
      socketPath,
      environment: environmentOf(env),
      programs: this.#programs,
      nowMs: this.#nowMs,
    });
    const running = { server, runner: new Runner(server) };
    this.#running.set(socketPath, running);
    server.notices.on((notice) => {
      void this.#noticed(running, notice).catch(this.#onFault);
    });
    return running;
  }

  async #start(request: TmuxRequest): Promise<Running> {
    const running = this.#add(request.socketPath, request.env);
    for (const path of request.configFiles ?? userFiles(request.env)) {
      const text = readOrNull(path);
      if (text === null) {
        if (request.configFiles !== undefined) running.server.messages.push(`${path}: not found`);
        continue;
      }
      const never = new AbortController().signal;
      // A command that fails does not keep those after it from running.
      const { stderr } = await running.runner.runLines(text, callerOf(request, never));
      if (stderr !== '') running.server.messages.push(`${path}: ${stderr.trimEnd()}`);
    }
    return running;
  }

  async #begin(running: Running, request: TmuxRequest, caller: Caller): Promise<TmuxAnswer> {
    const id = `${request.pid}-${this.#nextControl++}`;
    const client = new ControlClient(running, request.pid, caller, () => {
      this.#controls.delete(id);
      void this.#settle(running).catch(this.#onFault);
    });
    this.#controls.set(id, client);
    await client.begin(request.words);
    await this.#settle(running);
    return { stdout: '', stderr: '', status: 0, controlId: id };
  }

  /** Saves what changed, and forgets a server without sessions. */
  async #settle({ server }: Running): Promise<void> {
    if (server.sessions.size > 0) return this.#programs.save(server);
    const isKept = !server.options.isOn('exit-empty');
    if (!isKept || this.#running.get(server.socketPath)?.server !== server) {
      this.#running.delete(server.socketPath);
    }
  }

  async #noticed(running: Running, notice: Notice): Promise<void> {
    const { server, runner } = running;
    const { name, session, window, pane } = notice;
    const hook = name === 'layout-changed' ? 'window-layout-changed' : name;
    const link =
      window === undefined
        ? session?.links[0]
        : (session?.linkOf(window) ?? server.linksOf(window)[0]);
    const shown = pane ?? link?.window.panes[0];
    const target = link === undefined || shown === undefined ? null : targetOf(link, shown);
    const never = new AbortController().signal;
    const caller = { cwd: '/', env: {}, size: null, input: null, signal: never };
    await runner.runHook(hook, target, { ...caller, client: null, attachControl: null });
    if (name === 'session-closed' || name === 'pane-exited') await this.#settle(running);
  }
}

function startsServer(commands: readonly (readonly string[])[]): boolean {
  return commands.some(([name = '']) => {
    try {
      return findCommand(name).command.starts === true;
    } catch (error) {
      if (error instanceof TmuxError) return false;
      throw error;
    }
  });
}

/** The signal of a caller as one of this process. */
function abortOf(signal: CancelSignal): AbortSignal {
  const gone = new AbortController();
  if (signal.aborted) gone.abort();
  else signal.addEventListener('abort', () => gone.abort());
  return gone.signal;
}

const noServer = (path: string): TmuxAnswer => ({
  stdout: '',
  stderr: `no server running on ${path}\n`,
  status: 1,
});

const callerOf = (request: TmuxRequest, signal: AbortSignal): Caller => ({
  cwd: request.cwd,
  env: request.env,
  size: request.size ?? null,
  input: request.input ?? null,
  ...{ signal, client: null, attachControl: null },
});

/** The configuration files of tmux that exist. */
function userFiles(env: Readonly<Record<string, string>>): string[] {
  const { HOME: home = '/', XDG_CONFIG_HOME: config = join(home, '.config') } = env;
  const own = [join(home, '.tmux.conf'), join(config, 'tmux/tmux.conf')].find(existsSync);
  return ['/etc/tmux.conf', ...(own === undefined ? [] : [own])].filter(existsSync);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
