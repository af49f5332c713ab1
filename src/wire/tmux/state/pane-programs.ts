import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { defined, ignored } from '#base';
import {
  asVtrError,
  Cancellation,
  type Coordinator,
  isVtrError,
  maxWaitMs,
  type Publication,
  type PublishRequest,
  replacesLabel,
  type SessionInfo,
  type SpawnedSession,
  type SpawnRequest,
  type WaitResult,
} from '#model';
import { Alerts } from './alerts.ts';
import { programEnvironment } from './environment.ts';
import { Options } from './options.ts';
import { firstLabels, popupLabels, savedLabels } from './saved-labels.ts';
import type { Programs, TmuxServer, WithoutSecrets } from './tmux-server.ts';
import type { TmuxSession } from './tmux-session.ts';
import type { TmuxWindow } from './tmux-window.ts';
import { type PaneProgram, type PaneSession, TmuxPane } from './tmux-window.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** The largest size of a session, in columns and in rows. */
export const maxSize = 1000;

const withinBounds = ({ cols, rows }: Size): Size => ({
  cols: Math.min(cols, maxSize),
  rows: Math.min(rows, maxSize),
});

/** Runs the programs of panes in sessions of a coordinator, and follows their ends. */
export class PanePrograms implements Programs {
  readonly coordinator: Coordinator;
  readonly pid: number;
  readonly withoutSecrets: WithoutSecrets | null;
  /** Labels as last given to the sessions of panes. */
  readonly #labels = new WeakMap<TmuxPane, string>();
  /** Of panes without a program, by their sessions. */
  readonly #texts = new WeakMap<PaneSession, Publication>();
  /** Sessions that get another size when no person types. */
  readonly #waiting = new Set<PaneSession>();
  readonly #children = new Set<ChildProcess>();
  /** Ends the waits for programs: their sessions go on, also in the next daemon. */
  readonly #disposed = new Cancellation();
  readonly #alerts: Alerts;

  constructor(coordinator: Coordinator, pid: number, withoutSecrets: WithoutSecrets | null = null) {
    this.coordinator = coordinator;
    this.#alerts = new Alerts(coordinator, withoutSecrets !== null, this.#disposed);
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
    const options = new Options(window.options);
    const { shows } = program;
    const started =
      shows === undefined
        ? await this.#spawn(server, session, window, id, program, size)
        : await this.#publish(server, session, window, id, shows, size);
    const pane = new TmuxPane(id, window, program, options, started);
    if (shows !== undefined) pane.dead = { status: null, signal: null, atMs: null };
    Object.assign(pane, size);
    this.#follow(server, pane);
    return pane;
  }

  /** Makes the session of a pane without a program. */
  async #publish(
    server: TmuxServer,
    session: TmuxSession,
    window: TmuxWindow,
    id: number,
    shows: string,
    size: Size,
  ): Promise<SessionInfo> {
    const request: PublishRequest = {
      by: 'tmux',
      fromPipe: true,
      size: withinBounds(size),
      labels: firstLabels(server, session, window, id),
    };
    const published = await withFreeName(vtrName(session.name, id), (name) =>
      this.coordinator.publish({ ...request, name }),
    );
    if (shows !== '') await published.write(Buffer.from(shows));
    this.#texts.set(published.session, published);
    return published.session;
  }

  startPopup(
    server: TmuxServer,
    session: TmuxSession,
    program: PaneProgram,
    size: Size,
  ): Promise<PaneSession> {
    const request = {
      ...this.#request(server, session, program, size),
      labels: popupLabels(server, session),
    };
    const name = vtrName(session.name, 'popup');
    return withFreeName(name, (tried) => this.coordinator.spawn({ ...request, name: tried }));
  }

  /** Removes a popup that an earlier server has left and nobody sees as one, when its program has ended. */
  async adoptPopup(popup: PaneSession): Promise<void> {
    const end = { timeoutMs: maxWaitMs, tail: { maxLines: 0 }, signal: this.#disposed };
    for (;;) {
      const ended = await this.coordinator.wait(popup, end).catch(asVtrError);
      if (this.#disposed.aborted || isVtrError(ended)) return;
      if (ended.outcome !== 'timed_out') return this.#remove(popup);
    }
  }

  renewAlerts(server: TmuxServer): void {
    this.#alerts.renew(server);
  }

  selected(server: TmuxServer, window: TmuxWindow): void {
    this.#alerts.selected(server, window);
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
    // Its name goes to the next one: clients know the pane by it.
    const name = await this.#setAside(old);
    const instead = { id: old.id, ...defined({ name }) };
    const start = () => this.#spawn(server, session, pane.window, pane.id, program, size, instead);
    const spawned = await start().catch(async (error: unknown) => {
      if (name !== undefined) await ignored(this.coordinator.rename(old, name), 'it may have gone');
      throw error;
    });
    pane.program = program;
    pane.session = { name: spawned.name, id: spawned.id };
    pane.pid = spawned.pid;
    pane.file = spawned.program;
    pane.dead = null;
    // The new program has not set one yet.
    pane.title = title === '' ? null : { text: title, over: '' };
    pane.firstLine = 0;
    pane.typist = null;
    pane.modes.leaveAll();
    this.#labels.delete(pane);
    this.#follow(server, pane);
    server.focus.respawned(pane);
    server.notices.emit({ name: 'pane-respawned', window: pane.window, pane });
    this.#remove(old);
  }

  /** The title that `select-pane -T` or the program has set; empty if neither has. */
  async titleOf({ session, title }: TmuxPane): Promise<string> {
    const info = await this.coordinator.info(session).catch(() => null);
    const shown = info?.title ?? '';
    return title !== null && title.over === shown ? title.text : shown;
  }

  focus({ session, dead, typist }: TmuxPane, focused: boolean): void {
    if (dead !== null) return;
    const sender = defined({ viewer: typist?.id });
    ignored(this.coordinator.sendFocus(session, focused, sender), 'the program may have ended');
  }

  end(pane: TmuxPane): void {
    pane.pipe?.end();
    this.#remove(pane.session);
  }

  async fit(window: TmuxWindow): Promise<void> {
    const changed = window.places.flatMap(({ pane, cols, rows }) => {
      if (pane.cols === cols && pane.rows === rows) return [];
      pane.cols = cols;
      pane.rows = rows;
      const size = withinBounds({ cols, rows });
      const text = this.#texts.get(pane.session);
      if (pane.dead !== null && text === undefined) return [];
      return [
        ignored(text?.resize(size) ?? this.#resize(pane, size), 'the program may have ended'),
      ];
    });
    await Promise.all(changed);
  }

  /** Agents may not resize what a person types in, but the windows of that person may. */
  async #resize(pane: TmuxPane, size: Size): Promise<void> {
    const { session, typist } = pane;
    if (typist !== null) await typist.resize(size);
    const resized = this.coordinator.resize(session, size, defined({ viewer: typist?.id }));
    const failed = await resized.then(() => null, asVtrError);
    if (failed?.code !== 'NOT_DRIVER' || this.#waiting.has(session)) return;
    void this.#resizeLater(pane);
  }

  /** A person types in the pane, or holds it: then it gets the size of its place, as that is then. */
  async #resizeLater(pane: TmuxPane): Promise<void> {
    const { session } = pane;
    this.#waiting.add(session);
    const free = { driver: true, timeoutMs: maxWaitMs, signal: this.#disposed };
    await ignored(this.coordinator.wait(session, free), 'the session may be gone');
    this.#waiting.delete(session);
    if (this.#disposed.aborted || pane.session !== session || pane.dead !== null) return;
    await this.#resize(pane, withinBounds(pane));
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

  /** Gives the session of a pane another name. Returns the one that it had, if the session is there. */
  async #setAside(session: PaneSession): Promise<string | undefined> {
    const before = await this.coordinator.info(session).catch(() => undefined);
    if (before === undefined) return undefined;
    const rename = (name: string) => this.coordinator.rename(session, name);
    await withFreeName(`${before.name.slice(0, 54)}.before`, rename);
    return before.name;
  }

  /** @param instead the session whose place and name the new one takes */
  async #spawn(
    server: TmuxServer,
    session: TmuxSession,
    window: TmuxWindow,
    id: number,
    program: PaneProgram,
    size: Size,
    instead?: { readonly id: string; readonly name?: string },
  ): Promise<SpawnedSession> {
    const request = this.#request(server, session, program, size);
    const ofPane: SpawnRequest = {
      ...request,
      env: { ...request.env, TMUX_PANE: `%${id}` },
      labels: {
        ...firstLabels(server, session, window, id),
        ...(instead !== undefined && { [replacesLabel]: instead.id }),
      },
      scrollbackLines: session.options.number('history-limit'),
    };
    const name = instead?.name ?? vtrName(session.name, id);
    return withFreeName(name, (tried) => this.coordinator.spawn({ ...ofPane, name: tried }));
  }

  /** How the program of a pane or of a popup is started. */
  #request(
    server: TmuxServer,
    session: TmuxSession,
    program: PaneProgram,
    size: Size,
  ): SpawnRequest {
    const env = programEnvironment(server.environment, session.environment);
    const cwd = [program.cwd, env['HOME'] ?? '/'].find(isDirectory) ?? '/';
    const shell = session.options.text('default-shell');
    const term = server.options.text('default-terminal');
    return {
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
      },
      size: withinBounds(size),
      // That of its place, whoever sees it.
      sizing: 'manual',
    };
  }

  /** Waits for the end of a pane's program; then the pane goes, unless it is to stay. */
  async #follow(server: TmuxServer, pane: TmuxPane): Promise<void> {
    this.#alerts.follow(server, pane);
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

/** Another server, or the user, may have a session of a name: then it gets a number. */
async function withFreeName<T>(name: string, act: (name: string) => Promise<T>): Promise<T> {
  for (let more = 1; ; more++) {
    try {
      return await act(more === 1 ? name : `${name}-${more}`);
    } catch (error) {
      if (asVtrError(error).code !== 'SESSION_ALREADY_EXISTS') throw error;
    }
  }
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A name of tmux may hold characters that a name of vtr may not. */
function vtrName(session: string, pane: number | 'popup'): string {
  const plain = session.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40);
  return `${plain === '' ? 'tmux' : plain}.${pane}`;
}
