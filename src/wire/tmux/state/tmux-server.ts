import type { ChildProcess } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { Emitter, ignored } from '#base';
import type { Coordinator } from '#model';
import type { AttachedClient, Notice } from './attached-client.ts';
import { Buffers } from './buffers.ts';
import { ClientFocus } from './client-focus.ts';
import type { PromptAnswers } from './client-terminal.ts';
import { type Environment, programEnvironment } from './environment.ts';
import { KeyTables } from './key-tables.ts';
import { Options } from './options.ts';
import { SessionGroup, TmuxSession, type WindowLink } from './tmux-session.ts';
import { type PaneProgram, type PaneSession, type TmuxPane, TmuxWindow } from './tmux-window.ts';
import { commandName, visibleName } from './visible-name.ts';
import { WaitChannels } from './wait-channels.ts';

interface Size {
  readonly cols: number;
  readonly rows: number;
}

/**
 * Returns a text as clients get it.
 *
 * - `known`: without what is known to be a secret. For text of several fields.
 * - `all`: also without what looks like a secret.
 */
export type WithoutSecrets = (
  text: string,
  variables: readonly Readonly<Record<string, string>>[],
  which: 'known' | 'all',
) => string;

/** What runs the programs of panes, in sessions of a coordinator. */
export interface Programs {
  readonly coordinator: Coordinator;
  /** Null if clients get secrets, too. */
  readonly withoutSecrets: WithoutSecrets | null;
  /** The process id in the variable TMUX. */
  readonly pid: number;
  /** Starts a program in a new pane. @throws VtrError */
  start(
    server: TmuxServer,
    session: TmuxSession,
    window: TmuxWindow,
    program: PaneProgram,
    size: Size,
  ): Promise<TmuxPane>;
  /** Starts a program in a popup over the windows of a session. Its caller removes the session. @throws VtrError */
  startPopup(
    server: TmuxServer,
    session: TmuxSession,
    program: PaneProgram,
    size: Size,
  ): Promise<PaneSession>;
  /** The options of alerts have changed. */
  renewAlerts(server: TmuxServer): void;
  /** A window has become current. */
  selected(server: TmuxServer, window: TmuxWindow): void;
  /** Takes over the session of a pane that an earlier server had. */
  adopt(server: TmuxServer, pane: TmuxPane): void;
  /** Starts a program in a pane whose program has ended, or is ended now. @throws VtrError */
  restart(
    server: TmuxServer,
    session: TmuxSession,
    pane: TmuxPane,
    program: PaneProgram,
  ): Promise<void>;
  /** The title that `select-pane -T` or the program has set; empty if neither has. */
  titleOf(pane: TmuxPane): Promise<string>;
  /** Ends the program of a pane that has left its window. */
  end(pane: TmuxPane): void;
  /** Tells the program of a pane that it has the focus, or not, if it asked for that. */
  focus(pane: TmuxPane, focused: boolean): void;
  /** Gives the sessions of a window's panes the sizes of the layout. */
  fit(window: TmuxWindow): Promise<void>;
  /** Notes a command that runs for a server, and ends with it. */
  own(child: ChildProcess): void;
}

export interface ServerParts {
  readonly socketPath: string;
  readonly environment: Environment;
  readonly programs: Programs;
  readonly nowMs: () => number;
}

/** The sessions, windows and panes that share a socket path, and what they inherit. */
export class TmuxServer {
  readonly socketPath: string;
  readonly environment: Environment;
  readonly programs: Programs;
  readonly nowMs: () => number;
  readonly startedAtMs: number;
  readonly options = Options.initial('server');
  readonly sessionOptions = Options.initial('session');
  readonly windowOptions = Options.initial('window');
  readonly buffers = new Buffers();
  readonly keys = new KeyTables();
  /** Groups of sessions, by their names. */
  readonly groups = new Map<string, SessionGroup>();
  readonly channels = new WaitChannels();
  readonly notices = new Emitter<Notice>();
  /** Emits after each command: options, names or keys may be other ones. */
  readonly ran = new Emitter<null>();
  readonly sessions = new Map<number, TmuxSession>();
  readonly clients = new Set<AttachedClient>();
  readonly focus: ClientFocus;
  /** What was answered to prompts, oldest first. */
  readonly answers: PromptAnswers = new Map();
  /** What went wrong in configuration files and hooks, for `show-messages`. */
  readonly messages: string[] = [];
  /** The pane of `select-pane -m`. */
  marked: TmuxPane | null = null;
  /** The ids of the next session, window and pane. None is used twice. */
  readonly nextIds = { session: 0, window: 0, pane: 0 };
  readonly #ended = new AbortController();
  /** Whether what happens is told to no hook: a hook for what happened has caused it. */
  isQuiet = false;
  /** Whether it ends also with `exit-empty` off. */
  isKilled = false;
  #uses = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ socketPath, environment, programs, nowMs }: ServerParts) {
    this.socketPath = socketPath;
    this.environment = environment;
    this.programs = programs;
    this.nowMs = nowMs;
    this.startedAtMs = nowMs();
    this.focus = new ClientFocus({
      clients: this.clients,
      notices: this.notices,
      options: this.options,
      windows: () => this.windows,
      focus: (pane, focused) => programs.focus(pane, focused),
    });
    // As many as commands in the background.
    setMaxListeners(0, this.#ended.signal);
    const shell = environment.get('SHELL')?.value;
    if (shell?.startsWith('/')) this.sessionOptions.set('default-shell', shell);
    const editor = environment.get('VISUAL')?.value ?? environment.get('EDITOR')?.value;
    if (!editor) return;
    this.options.set('editor', editor);
    const keys = editor.slice(editor.lastIndexOf('/') + 1).includes('vi') ? 'vi' : 'emacs';
    this.sessionOptions.set('status-keys', keys);
    this.windowOptions.set('mode-keys', keys);
  }

  /** Returns the name of a new client: the path of its terminal, with a number if another one has it. */
  freeClientName(path: string, pid: number): string {
    // Where the system does not tell the path of a terminal, all have the same.
    const own = path === '/dev/tty' ? `client-${pid}` : path;
    const names = new Set([...this.clients].map(({ name }) => name));
    let name = own;
    for (let number = 2; names.has(name); number++) name = `${own}.${number}`;
    return name;
  }

  /** Returns a text as clients get it; see {@link WithoutSecrets}. */
  shown(text: string, which: 'known' | 'all'): string {
    const { withoutSecrets } = this.programs;
    if (withoutSecrets === null || text === '') return text;
    const environments = [...this.sessions.values()].map(({ environment }) => environment);
    const variables = [this.environment, ...environments].map((each) =>
      programEnvironment(each, new Map()),
    );
    return withoutSecrets(text, variables, which);
  }

  /** Aborts when the server has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether it ends, because it has no sessions. */
  get isEmpty(): boolean {
    return this.sessions.size === 0 && (this.isKilled || this.options.isOn('exit-empty'));
  }

  /** Ends what waits for the server or runs for it in the background. */
  end(): void {
    this.channels.flush();
    this.#ended.abort();
  }

  /** Runs a command after those that came before it. */
  inTurn<T>(act: () => Promise<T> | T): Promise<T> {
    const turn = this.#turn.then(act, act);
    this.#turn = ignored(turn, 'the caller gets the error');
    return turn;
  }

  /** Sessions by name, as lists show them. */
  get sorted(): TmuxSession[] {
    return [...this.sessions.values()].sort((one, two) => (one.name < two.name ? -1 : 1));
  }

  get windows(): TmuxWindow[] {
    return [...new Set(this.sorted.flatMap(({ links }) => links.map(({ window }) => window)))];
  }

  /** Whether a program with this environment runs in one of the server's panes, as TMUX and TMUX_PANE tell. */
  isOwnPane(env: Readonly<Record<string, string>>): boolean {
    const [path] = env['TMUX']?.split(',') ?? [];
    return path === this.socketPath && this.panes.some(({ id }) => `%${id}` === env['TMUX_PANE']);
  }

  get panes(): TmuxPane[] {
    return this.windows.flatMap(({ panes }) => panes);
  }

  sessionNamed(name: string): TmuxSession | undefined {
    return [...this.sessions.values()].find((each) => each.name === name);
  }

  linksOf(window: TmuxWindow): WindowLink[] {
    return this.sorted.flatMap(({ links }) => links.filter((each) => each.window === window));
  }

  /** The session used last of those that have a window. */
  sessionOf(window: TmuxWindow): TmuxSession | undefined {
    const sessions = this.linksOf(window).map(({ session }) => session);
    return sessions.sort((one, two) => two.activity - one.activity)[0];
  }

  isAttached(session: TmuxSession): boolean {
    return [...this.clients].some((client) => client.session === session);
  }

  /** Somebody sees a window now. */
  look({ window }: WindowLink): void {
    for (const { alerts } of this.linksOf(window)) alerts.clear();
  }

  /** Notes that a client used a session. */
  use(session: TmuxSession, client: AttachedClient | null = null): void {
    session.activity = ++this.#uses;
    session.activityAtMs = this.nowMs();
    if (client === null) return;
    client.activity = session.activity;
    client.activityAtMs = session.activityAtMs;
  }

  newSession(name: string, cwd: string): TmuxSession {
    const id = this.nextIds.session++;
    const options = new Options(this.sessionOptions);
    const session = new TmuxSession(id, name, cwd, options, this.nowMs());
    this.sessions.set(id, session);
    this.use(session);
    return session;
  }

  /** Makes a window with a program, not linked to a session yet. @throws VtrError */
  async newWindow(session: TmuxSession, program: PaneProgram, size: Size): Promise<TmuxWindow> {
    const window = this.emptyWindow(size);
    window.name = nameFor(session, program);
    window.begin(await this.programs.start(this, session, window, program, size));
    return window;
  }

  /** Makes a window that gets its pane next. */
  emptyWindow(size: Size): TmuxWindow {
    const options = new Options(this.windowOptions);
    return new TmuxWindow(this.nextIds.window++, options, size, this.nowMs());
  }

  link(session: TmuxSession, window: TmuxWindow, index: number): WindowLink {
    const link = session.add(window, index);
    this.notices.emit({ name: 'window-linked', session, window });
    return link;
  }

  groupOf(session: TmuxSession): SessionGroup | null {
    return [...this.groups.values()].find((group) => group.has(session)) ?? null;
  }

  /** Adds a session to a group, which is made if it does not exist. */
  addToGroup(name: string, session: TmuxSession): void {
    const group = this.groups.get(name) ?? new SessionGroup(name);
    this.groups.set(name, group);
    group.add(session);
  }

  /** Makes a window current, and tells about it. */
  selectLink(link: WindowLink): void {
    const { window: before } = link.session.current;
    if (!link.session.select(link)) return;
    this.look(link);
    this.focus.moved(
      ...new Set(
        [before, link.window].flatMap((each) => (each.panes.length > 0 ? [each.active] : [])),
      ),
    );
    this.notices.emit({
      name: 'session-window-changed',
      session: link.session,
      window: link.window,
    });
    this.programs.selected(this, link.window);
  }

  /** Takes a window out of a session, and the session away with its last one. */
  unlink(link: WindowLink): void {
    const { session, window } = link;
    const before = session.current;
    const isLeft = session.remove(link);
    if (isLeft && before === link) {
      const { window: next } = session.current;
      this.focus.moved(window.active, next.active);
      this.notices.emit({ name: 'session-window-changed', session, window: next });
    }
    this.notices.emit({ name: 'window-unlinked', session, window });
    if (!isLeft) this.#removeSession(session);
  }

  /**
   * Removes a window from all sessions, and ends its programs.
   *
   * @param renumbers whether the windows of the sessions are numbered again, if the option says so
   */
  removeWindow(window: TmuxWindow, renumbers = true): void {
    this.#unlinkAll(window, { renumbers });
    this.#endWindow(window);
  }

  #endWindow(window: TmuxWindow): void {
    const { panes } = window;
    for (const pane of panes) this.programs.end(pane);
    if (this.marked !== null && panes.includes(this.marked)) this.marked = null;
    // The ends of its programs, which come later, are those of no pane.
    window.panes = [];
  }

  /** Takes a window away whose only pane has gone to another one. */
  forgetWindow(window: TmuxWindow): void {
    window.panes = [];
    this.#unlinkAll(window, { renumbers: true });
  }

  #unlinkAll(window: TmuxWindow, { renumbers }: { readonly renumbers: boolean }): void {
    const links = this.linksOf(window);
    const groups = links.map(({ session }) => this.groupOf(session));
    for (const link of links) this.unlink(link);
    if (!renumbers) return;
    // As in tmux, the option of the first session of a group counts.
    for (const [at, { session }] of links.entries()) {
      const group = groups[at] ?? null;
      if (group === null || groups.indexOf(group) === at) this.renumber(session);
    }
  }

  /** Numbers the windows of a session, and of those of its group, if its option says so. */
  renumber(session: TmuxSession): void {
    if (!this.sessions.has(session.id) || !session.options.isOn('renumber-windows')) return;
    for (const each of this.groupOf(session)?.members ?? [session]) each.renumber();
  }

  /** Removes a session, and its windows that no other session has. */
  removeSession(session: TmuxSession): void {
    const { links } = session;
    this.#removeSession(session);
    for (const { window } of links) {
      this.notices.emit({ name: 'window-unlinked', session, window });
      if (this.linksOf(window).length === 0) this.#endWindow(window);
    }
  }

  /** Tells which pane of a window is active, if that is another one than before. */
  tellActive(window: TmuxWindow, before: TmuxPane): void {
    if (window.panes.length === 0 || window.active === before) return;
    const isLost = !window.panes.includes(before);
    if (!isLost) this.focus.moved(before, window.active);
    this.notices.emit({ name: 'window-pane-changed', window, pane: window.active });
    if (isLost) this.focus.updateIn(window);
  }

  /** Removes a pane, and its window with the last one, and ends its program. */
  removePane(pane: TmuxPane): void {
    const { window } = pane;
    if (!window.panes.includes(pane)) return;
    if (window.panes.length === 1) {
      this.removeWindow(window);
      return;
    }
    const before = window.active;
    window.remove(pane);
    if (this.marked === pane) this.marked = null;
    this.programs.end(pane);
    this.notices.emit({ name: 'layout-changed', window });
    this.tellActive(window, before);
    void this.programs.fit(window);
  }

  #removeSession(session: TmuxSession): void {
    if (!this.sessions.delete(session.id)) return;
    const group = this.groupOf(session);
    if (group?.remove(session) === false) this.groups.delete(group.name);
    const clients = [...this.clients].filter((client) => client.session === session);
    const next = clients.length === 0 ? null : this.#nextSession(session);
    for (const client of clients) {
      if (next === null || client.terminal === null) client.detach('exited');
      else client.session = next;
    }
    this.notices.emit({ name: 'session-closed', session });
  }

  /** The session that clients of one show when it is closed; null if they end with it. */
  #nextSession({ options }: TmuxSession): TmuxSession | null {
    const how = options.text('detach-on-destroy');
    if (how === 'on') return null;
    const isShown = (each: TmuxSession) =>
      [...this.clients].some(({ session }) => session === each);
    const all = [...this.sessions.values()].filter((each) => how === 'off' || !isShown(each));
    return all.sort((one, two) => two.activity - one.activity)[0] ?? null;
  }
}

/** The name that a window has for its program if it does not follow it. */
export const nameFor = ({ options }: TmuxSession, { words }: PaneProgram): string =>
  visibleName(
    commandName(
      words.join(' ') || options.text('default-command') || options.text('default-shell'),
    ),
  );
