import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '#base';
import {
  type CancelSignal,
  type Coordinator,
  type TmuxAnswer,
  type TmuxCalls,
  type TmuxControlAnswer,
  type TmuxRequest,
  tmuxPopupOf,
} from '#model';
import { ScreenClient } from './client/screen-client.ts';
import type { Caller } from './commands/call.ts';
import { fileText } from './commands/shell.ts';
import { terminalProblem } from './commands/windows/sessions.ts';
import { ControlClient } from './control/control-client.ts';
import { noticeFormats } from './format/hook-formats.ts';
import { Runner, type Running } from './runner.ts';
import type { Notice } from './state/attached-client.ts';
import { environmentOf } from './state/environment.ts';
import { PanePrograms } from './state/pane-programs.ts';
import { restore, savedServers } from './state/saved-labels.ts';
import { SocketFile } from './state/socket-file.ts';
import { TmuxServer, type WithoutSecrets } from './state/tmux-server.ts';
import { commandRow } from './table/command-table.ts';
import { noServerMessage } from './table/no-server.ts';
import { type Target, targetOf } from './target/target.ts';
import { type TextError, TmuxError } from './tmux-error.ts';
import { commandsInWords } from './words/command-line.ts';

export interface TmuxServersOptions {
  /** The process id that programs see in the variable TMUX. */
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly nowMs?: () => number;
  readonly onFault?: (error: unknown) => void;
  /** Replaces secrets in what clients get. Null, the default: nothing is replaced. */
  readonly withoutSecrets?: WithoutSecrets | null;
}

/** The servers of a coordinator, by their socket paths. One exists while it has sessions. */
export class TmuxServers implements TmuxCalls {
  readonly #programs: PanePrograms;
  readonly #nowMs: () => number;
  readonly #onFault: (error: unknown) => void;
  readonly #running = new Map<string, Running>();
  readonly #clients = new Map<string, ControlClient | ScreenClient>();
  #restored: Promise<void> | null = null;
  #nextControl = 0;
  #isDisposed = false;

  constructor(coordinator: Coordinator, options: TmuxServersOptions) {
    this.#programs = new PanePrograms(coordinator, options.pid, options.withoutSecrets);
    this.#nowMs = options.nowMs ?? Date.now;
    this.#onFault = options.onFault ?? (() => {});
  }

  async run(request: TmuxRequest, signal: CancelSignal): Promise<TmuxAnswer> {
    this.#restored ??= this.#restore();
    try {
      await this.#restored;
    } catch (error) {
      this.#restored = null;
      throw error;
    }
    const gone = new AbortController();
    const leave = () => gone.abort();
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    try {
      return await this.#run(request, gone.signal);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** @param signal the caller has gone */
  async #run(request: TmuxRequest, signal: AbortSignal): Promise<TmuxAnswer> {
    const commands = commandsInWords(request.words);
    if (commands.length === 0) commands.push(['new-session']);
    const server = this.#running.get(request.socketPath);
    if (server === undefined && !request.control && !startsServer(commands)) {
      return noServer(request.socketPath);
    }
    const running = server ?? this.#add(request.socketPath, request.env);
    return this.#during(running, async () => {
      if (server === undefined) await running.file.make();
      // As with tmux, calls of others, also from the configuration, do not wait for it. After a restart of the daemon
      // it is read again for a person, whose keys are in it.
      if (server === undefined || (request.terminal !== undefined && !running.isConfigured)) {
        running.isConfigured = true;
        await configure(running, request);
      }
      const caller = callerOf(request, signal);
      if (request.control) return this.#begin(running, request, caller);
      const terminal = this.#terminalOf(running, request, caller);
      const { stdout, stderr, status } = await running.runner.run(commands, terminal.caller);
      const shown = (text: string) => running.server.shown(text, 'known');
      const printed = { stdout: shown(stdout), stderr: shown(stderr) };
      return { ...printed, status, ...defined({ controlId: terminal.id() ?? undefined }) };
    });
  }

  async control(
    id: string,
    lines: readonly string[] | null,
    signal: CancelSignal,
  ): Promise<TmuxControlAnswer> {
    const client = this.#clients.get(id);
    if (client === undefined) return { output: '', ended: true };
    if (lines === null) return client.take(signal);
    if (client.terminal !== null) {
      for (const line of lines) await client.line(line);
      return { output: '', ended: client.isEnded };
    }
    return this.#during(client.running, async () => {
      for (const line of lines) await client.line(line);
      return { output: '', ended: client.isEnded };
    });
  }

  /** Ends what runs for servers; their sessions belong to the coordinator. */
  dispose(): void {
    this.#isDisposed = true;
    for (const client of [...this.#clients.values()]) {
      // A person goes on with the next daemon.
      if (client.terminal === null) client.detach('server exited');
      else client.terminal.dispose();
    }
    for (const { server, file } of this.#running.values()) {
      server.end();
      file.remove();
    }
    this.#programs.dispose();
  }

  async #restore(): Promise<void> {
    const sessions = await this.#programs.coordinator.list();
    for (const each of sessions) {
      if (tmuxPopupOf(each) !== null) void this.#programs.adoptPopup(each);
    }
    for (const socketPath of savedServers(sessions)) {
      const running = this.#add(socketPath, {});
      restore(running.server, sessions);
      if (running.server.sessions.size === 0) this.#running.delete(socketPath);
      else await running.file.make();
    }
  }

  #add(socketPath: string, env: Readonly<Record<string, string>>): Running {
    const server = new TmuxServer({
      socketPath,
      environment: environmentOf(env),
      programs: this.#programs,
      nowMs: this.#nowMs,
    });
    const file = new SocketFile(socketPath);
    const running: Running = {
      server,
      file,
      runner: new Runner(server),
      calls: 0,
      isConfigured: false,
    };
    this.#running.set(socketPath, running);
    server.notices.on((notice) => {
      if (this.#isDisposed) return;
      void this.#noticed(running, notice).catch(this.#onFault);
    });
    return running;
  }

  /** Keeps a server while a call uses it. */
  async #during<T>(running: Running, act: () => Promise<T>): Promise<T> {
    running.calls++;
    try {
      return await act();
    } finally {
      running.calls--;
      await this.#settle(running);
    }
  }

  async #begin(running: Running, request: TmuxRequest, caller: Caller): Promise<TmuxAnswer> {
    const id = `${request.pid}-${this.#nextControl++}`;
    const client = new ControlClient(running, request.pid, caller, () => {
      this.#clients.delete(id);
    });
    this.#clients.set(id, client);
    await client.begin(request.words);
    return { stdout: '', stderr: '', status: 0, controlId: id };
  }

  /**
   * The caller of a call that may show a session in a terminal. It becomes a client with the first command that
   * attaches, and is one for the commands after that.
   */
  #terminalOf(running: Running, request: TmuxRequest, caller: Caller) {
    let id: string | null = null;
    let client: ScreenClient | null = null;
    const { terminal: path, size, pid, env } = request;
    const begin = (target: Target) => {
      if (client !== null) {
        client.session = target.session;
        return client;
      }
      if (path === undefined || size === undefined) return null;
      const name = `${pid}-${this.#nextControl++}`;
      client = new ScreenClient({
        running,
        pid,
        path,
        kind: env['TERM'] ?? '',
        size,
        caller,
        onRun: () => this.#settle(running),
        onEnd: () => {
          this.#clients.delete(name);
        },
      });
      this.#clients.set(name, client);
      id = name;
      client.begin(target);
      return client;
    };
    const hasTerminal = path !== undefined && size !== undefined;
    const isNested = running.server.isOwnPane(env);
    const mayAttach = hasTerminal && !isNested && terminalProblem(env['TERM']) === null;
    const asTerminal: Caller = {
      ...caller,
      attach: mayAttach ? begin : null,
      get client() {
        return client;
      },
    };
    return { caller: asTerminal, id: () => id };
  }

  /** Saves what changed, and forgets a server without sessions. */
  async #settle(running: Running): Promise<void> {
    const { server, file, calls } = running;
    // Another server may have its path meanwhile.
    if (this.#isDisposed || this.#running.get(server.socketPath) !== running) return;
    if (server.sessions.size > 0) return this.#programs.save(server);
    if (!server.isEmpty) return;
    server.channels.flush();
    if (calls > 0) return;
    this.#running.delete(server.socketPath);
    file.remove();
    server.end();
  }

  async #noticed(running: Running, notice: Notice): Promise<void> {
    const { server, runner } = running;
    const { name } = notice;
    const { isQuiet } = server;
    const hook = name === 'layout-changed' ? 'window-layout-changed' : name;
    const target = targetOfNotice(server, notice);
    const never = new AbortController().signal;
    const caller = { cwd: '/', env: {}, size: null, input: null, signal: never };
    if (!isQuiet) {
      await runner.runHook(target, noticeFormats(hook, notice), {
        ...caller,
        client: null,
        attach: null,
        answered: null,
      });
    }
    if (name === 'session-closed' || name === 'pane-exited') await this.#settle(running);
  }
}

/** What the commands of a hook are about; null if that has gone: then it is what was used last. */
function targetOfNotice(server: TmuxServer, notice: Notice): Target | null {
  const { client, pane } = notice;
  const session = client?.session ?? notice.session;
  if (session !== undefined && !server.sessions.has(session.id)) return null;
  const window = pane?.window ?? notice.window;
  if (window === undefined) return session === undefined ? null : targetOf(session.current);
  const owner = session ?? server.sessionOf(window);
  if (owner === undefined || window.panes.length === 0) return null;
  const link = owner.current.window === window ? owner.current : owner.linkOf(window);
  return link === null ? null : targetOf(link, pane ?? window.active);
}

function startsServer(commands: readonly (readonly string[])[]): boolean {
  return commands.some(([name = '']) => commandRow(name)?.starts === true);
}

const noServer = (path: string): TmuxAnswer => ({
  stdout: '',
  stderr: noServerMessage(path),
  status: 1,
});

const callerOf = (request: TmuxRequest, signal: AbortSignal): Caller => ({
  cwd: request.cwd,
  env: request.env,
  size: request.size ?? null,
  input: request.input ?? null,
  signal,
  client: null,
  attach: null,
  answered: null,
});

/** The configuration files of tmux that exist. */
function userFiles(env: Readonly<Record<string, string>>): string[] {
  const { HOME: home = '/', XDG_CONFIG_HOME: config = join(home, '.config') } = env;
  const own = [join(home, '.tmux.conf'), join(config, 'tmux/tmux.conf')].find(existsSync);
  return ['/etc/tmux.conf', ...(own === undefined ? [] : [own])].filter(existsSync);
}

/** Reads configuration files. What is wrong in them is kept as messages. */
async function configure({ server, runner }: Running, request: TmuxRequest): Promise<void> {
  const caller: Caller = {
    ...callerOf(request, server.ended),
    size: null,
    isConfiguration: true,
  };
  const unread = ({ line, message }: TextError) => `${line}: ${message}`;
  for (const path of request.configFiles ?? userFiles(request.env)) {
    try {
      const { stderr } = await runner.runLines(await fileText(path), caller, unread, path);
      const lines = stderr.split('\n').filter((line) => line !== '');
      server.messages.push(...lines.map((line) => `${path}: ${line}`));
    } catch (error) {
      if (!(error instanceof TmuxError)) throw error;
      server.messages.push(error.message);
    }
  }
}
