import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { defined, ignored } from '#base';
import {
  asVtrError,
  Cancellation,
  type Coordinator,
  isVtrError,
  maxWaitMs,
  type SpawnedSession,
  type SpawnRequest,
  type WaitResult,
} from '#model';
import { programEnvironment } from './environment.ts';
import { Options } from './options.ts';
import { firstLabels, savedLabels } from './saved-labels.ts';
import type { Programs, TmuxServer, WithoutSecrets } from './tmux-server.ts';
import type { TmuxSession } from './tmux-session.ts';
import type { TmuxWindow } from './tmux-window.ts';
import { type PaneProgram, TmuxPane } from './tmux-window.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The largest size of a session, in columns and in rows. */
export const maxSize = 1000;

/** Runs the programs of panes in sessions of a coordinator, and follows their ends. */
export class PanePrograms implements Programs {
  readonly coordinator: Coordinator;
  readonly pid: number;
  readonly withoutSecrets: WithoutSecrets | null;
  /** Labels as last given to the sessions of panes. */
  readonly #labels = new WeakMap<TmuxPane, string>();
  readonly #children = new Set<ChildProcess>();
  /** Ends the waits for programs: their sessions go on, also in the next daemon. */
  readonly #disposed = new Cancellation();

  constructor(coordinator: Coordinator, pid: number, withoutSecrets: WithoutSecrets | null = null) {
    this.coordinator = coordinator;
    this.pid = pid;
    this.withoutSecrets = withoutSecrets;
  }

  async start(
    server: TmuxServer,
    session: TmuxSession,
    window: TmuxWindow,
    program: PaneProgram,
    size: Size,
  ): Promise<TmuxPane> {
    const id = server.nextIds.pane++;
    const spawned = await this.#spawn(server, session, window, id, program, size);
    const options = new Options(window.options);
    const pane = new TmuxPane(id, window, program, options, spawned, spawned.pid);
    Object.assign(pane, size);
    this.#follow(server, pane);
    return pane;
  }

  adopt(server: TmuxServer, pane: TmuxPane): void {
    this.#follow(server, pane);
  }

  async restart(
    server: TmuxServer,
    session: TmuxSession,
    pane: TmuxPane,
    program: PaneProgram,
  ): Promise<void> {
    const old = pane.session;
    const size = { cols: pane.cols, rows: pane.rows };
    const title = await this.titleOf(pane);
    const spawned = await this.#spawn(server, session, pane.window, pane.id, program, size);
    pane.program = program;
    pane.session = { name: spawned.name, id: spawned.id };
    pane.pid = spawned.pid;
    pane.dead = null;
    // The new program has not set one yet.
    pane.title = title === '' ? null : { text: title, over: '' };
    pane.firstLine = 0;
    pane.typist = null;
    pane.modes.leaveAll();
    this.#labels.delete(pane);
    this.#follow(server, pane);
    server.notices.emit({ name: 'pane-respawned', window: pane.window, pane });
    this.#remove(old);
  }

  /** The title that `select-pane -T` or the program has set; empty if neither has. */
  async titleOf({ session, title }: TmuxPane): Promise<string> {
    const info = await this.coordinator.info(session).catch(() => null);
    const shown = info?.title ?? '';
    return title !== null && title.over === shown ? title.text : shown;
  }

  end(pane: TmuxPane): void {
    pane.pipe?.end();
    this.#remove(pane.session);
  }

  async fit(window: TmuxWindow): Promise<void> {
    const changed = window.shownLayout.root.leaves().flatMap(({ pane, cols, rows }) => {
      if (pane === null || (pane.cols === cols && pane.rows === rows)) return [];
      pane.cols = cols;
      pane.rows = rows;
      if (pane.dead !== null) return [];
      const size = { cols: Math.min(cols, maxSize), rows: Math.min(rows, maxSize) };
      return [
        ignored(
          this.#resize(pane, size),
          'the program may have ended, or a person who drives has their own size',
        ),
      ];
    });
    await Promise.all(changed);
  }

  /** Agents may not resize what a person types in, but the windows of that person may. */
  async #resize({ session, typist }: TmuxPane, size: Size): Promise<void> {
    if (typist !== null) await typist.resize(size);
    await this.coordinator.resize(session, size, defined({ viewer: typist?.id }));
  }

  /** Writes what the next daemon needs to know into the labels of the panes' sessions. */
  async save(server: TmuxServer): Promise<void> {
    const changes = server.panes.flatMap((pane) => {
      const labels = savedLabels(server, pane);
      const text = JSON.stringify(labels);
      if (this.#labels.get(pane) === text) return [];
      this.#labels.set(pane, text);
      return [ignored(this.coordinator.setLabels(pane.session, labels), 'the session may be gone')];
    });
    await Promise.all(changes);
  }

  own(child: ChildProcess): void {
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
  }

  dispose(): void {
    this.#disposed.abort();
    for (const child of this.#children) child.kill();
  }

  async #spawn(
    server: TmuxServer,
    session: TmuxSession,
    window: TmuxWindow,
    id: number,
    program: PaneProgram,
    { cols, rows }: Size,
  ): Promise<SpawnedSession> {
    const env = programEnvironment(server.environment, session.environment);
    const cwd = [program.cwd, env['HOME'] ?? '/'].find(isDirectory) ?? '/';
    const shell = session.options.text('default-shell');
    const term = server.options.text('default-terminal');
    const request: SpawnRequest = {
      ...commandOf(program.words, shell, session.options.text('default-command')),
      cwd,
      // All of it is in `env`.
      caller: { variables: {}, notPassed: [] },
      env: {
        ...env,
        ...program.env,
        ...(term === 'xterm-256color' ? {} : { TERM: term }),
        SHELL: shell,
        PWD: cwd,
        TMUX: `${server.socketPath},${this.pid},${session.id}`,
        TMUX_PANE: `%${id}`,
      },
      size: { cols: Math.min(cols, maxSize), rows: Math.min(rows, maxSize) },
      labels: firstLabels(server, session, window, id),
      scrollbackLines: session.options.number('history-limit'),
    };
    return this.#spawnNamed(request, vtrName(session.name, id));
  }

  /** Another server, or the user, may have a session of that name. */
  async #spawnNamed(request: SpawnRequest, name: string): Promise<SpawnedSession> {
    for (let more = 1; ; more++) {
      const tried = more === 1 ? name : `${name}-${more}`;
      try {
        return await this.coordinator.spawn({ ...request, name: tried });
      } catch (error) {
        if (asVtrError(error).code !== 'SESSION_ALREADY_EXISTS') throw error;
      }
    }
  }

  /** Waits for the end of a pane's program; then the pane goes, unless it is to stay. */
  async #follow(server: TmuxServer, pane: TmuxPane): Promise<void> {
    const { session } = pane;
    const isCurrent = () =>
      !this.#disposed.aborted && pane.session === session && pane.window.panes.includes(pane);
    for (;;) {
      const ended = await this.coordinator
        .wait(session, { timeoutMs: maxWaitMs, tail: { maxLines: 0 }, signal: this.#disposed })
        .catch(asVtrError);
      if (!isCurrent()) return;
      if (!isVtrError(ended)) {
        if (ended.outcome === 'timed_out') continue;
      } else if (ended.code === 'UNAVAILABLE') {
        // The coordinator ends, and the program may go on.
        return;
      }
      // Waits for its turn, because a running command may be about this pane.
      await server.inTurn(() => {
        if (isCurrent()) paneEnded(server, pane, isVtrError(ended) ? null : ended);
      });
      return;
    }
  }

  #remove(session: { readonly name: string; readonly id: string }): void {
    ignored(this.coordinator.remove(session), 'it may have been removed already');
  }
}

/** @param ended null if the session is gone */
function paneEnded(server: TmuxServer, pane: TmuxPane, ended: WaitResult | null): void {
  const { code = null, signal = null } = ended?.exitStatus ?? {};
  const stays = pane.options.text('remain-on-exit');
  if (ended === null || stays === 'off' || (stays === 'failed' && code === 0)) {
    server.notices.emit({ name: 'pane-exited', window: pane.window, pane });
    server.removePane(pane);
    return;
  }
  pane.dead = { status: code, signal, atMs: server.nowMs() };
  server.notices.emit({ name: 'pane-died', window: pane.window, pane });
}

function commandOf(
  words: readonly string[],
  shell: string,
  defaultCommand: string,
): Pick<SpawnRequest, 'program' | 'args'> {
  const [first, ...more] = words.length === 0 && defaultCommand !== '' ? [defaultCommand] : words;
  if (first === undefined || (first === '' && more.length === 0)) return { program: shell };
  if (more.length > 0) return { program: first, args: more };
  return { program: shell, args: ['-c', first] };
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A name of tmux may hold characters that a name of vtr may not. */
function vtrName(session: string, pane: number): string {
  const plain = session.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40);
  return `${plain === '' ? 'tmux' : plain}.${pane}`;
}
