import { setTimeout as delay } from 'node:timers/promises';
import { defined, ignored } from '#base';
import {
  asVtrError,
  type CancelSignal,
  type KeyPress,
  type Size,
  type TmuxControlAnswer,
  type TmuxEnd,
  type TmuxEvent,
  type TmuxFrame,
  tmuxFrameText,
} from '#model';
import { Call, type Caller, Output } from '../commands/call.ts';
import { leaveMode, pressInList, viewLines } from '../commands/keys/modes.ts';
import { boundPress } from '../keys/bound-key.ts';
import type { Running } from '../runner.ts';
import type { AttachedClient, ClientEnd, Detaching, Notice } from '../state/attached-client.ts';
import type {
  ClientTerminal,
  MenuItem,
  MenuRequest,
  MousePlace,
  PopupRequest,
  PromptRequest,
  ShownPopup,
} from '../state/client-terminal.ts';
import { fitWindows } from '../state/default-size.ts';
import type { TmuxServer } from '../state/tmux-server.ts';
import type { TmuxSession, WindowLink } from '../state/tmux-session.ts';
import type { PaneSession, TmuxPane } from '../state/tmux-window.ts';
import type { Target } from '../target/target.ts';
import { ClientDialogs } from './client-dialogs.ts';
import { ClientKeys, mouseTarget, plainPress } from './client-keys.ts';
import { ClientLock } from './client-lock.ts';
import { type Composed, compose, lastFrameText, SentPictures } from './composer.ts';
import { PaneTyping } from './pane-typing.ts';
import { SessionViews } from './session-views.ts';
import { StatusLine, windowColumn } from './status-line.ts';

/** How long a client may not ask for its picture before it ends, in ms: its process has gone. */
const givenUpMs = 60_000;
/** The pause between two pictures, in ms: at most 60 a second. */
const frameMs = 16;
/** The name of a window follows its program, which is looked at this long after output, in ms. */
const namedMs = 500;
export interface ScreenClientParts {
  readonly running: Running;
  readonly pid: number;
  /** The path of the terminal, and its TERM. */
  readonly path: string;
  readonly kind: string;
  readonly size: Size;
  readonly caller: Caller;
  /** Commands of a key have run. */
  readonly onRun: () => Promise<void>;
  /** The client has ended, and its end has been told. */
  readonly onEnd: () => void;
}

/** A client in a terminal: it shows the windows of a session, and takes what a person types. */
export class ScreenClient implements AttachedClient, ClientTerminal {
  readonly createdAtMs: number;
  /** The path of its terminal; with a number if another client is shown in the same one. */
  readonly name: string;
  readonly isSized = true;
  readonly terminal = this;
  activityAtMs: number;
  activity = 0;
  lastSession: TmuxSession | null = null;
  flags = new Set<string>();
  cols: number;
  rows: number;
  mouse: MousePlace | null = null;
  composed: Composed | null = null;
  readonly env: Caller['env'];
  readonly #parts: ScreenClientParts;
  readonly #caller: Caller;
  readonly #gone = new AbortController();
  readonly #views: SessionViews;
  readonly #status: StatusLine;
  readonly #keys: ClientKeys;
  readonly #disposables: readonly { dispose(): void }[];
  readonly #typing: PaneTyping;
  #session: TmuxSession | null = null;
  readonly #dialogs: ClientDialogs;
  readonly #lock: ClientLock;
  #opened: () => void = () => {};
  #usesMouse = false;
  #panned: { row: number; col: number } | null = null;
  #nameTimer: NodeJS.Timeout | null = null;
  #giveUp: NodeJS.Timeout | null = null;
  readonly #pictures = new SentPictures();
  #isDirty = true;
  #bells = 0;
  #copies = false;
  #suspends = false;
  #end: TmuxEnd | null = null;
  #wake: () => void = () => {};
  #sentAtMs = 0;
  /** What a person does is handled in its order. */
  #events: Promise<void> = Promise.resolve();
  #run: Promise<void> = Promise.resolve();
  #fitted: Promise<void> = Promise.resolve();

  constructor(parts: ScreenClientParts) {
    const { size, caller } = parts;
    const { server } = parts.running;
    this.#parts = parts;
    this.cols = size.cols;
    this.rows = size.rows;
    this.name = server.freeClientName(parts.path, parts.pid);
    this.createdAtMs = server.nowMs();
    this.activityAtMs = this.createdAtMs;
    const windowSize = () => ({ cols: this.cols, rows: this.rows });
    this.env = { ...caller.env, TMUX: '', TMUX_PANE: '' };
    this.#caller = {
      ...caller,
      env: this.env,
      get size() {
        return windowSize();
      },
      input: null,
      signal: this.#gone.signal,
      client: this,
      attach: ({ session }) => {
        this.session = session;
        return this;
      },
      answered: null,
    };
    this.#views = new SessionViews(server.programs.coordinator, {
      changed: () => this.#outputCame(),
      rang: (session, count) => this.#rang(session, count),
    });
    this.#status = new StatusLine(server, this, caller.cwd, () => this.#changed());
    this.#keys = new ClientKeys(this);
    this.#typing = new PaneTyping(server, (text) => {
      if (!this.isEnded) this.tell(text, 3_000, true);
    });
    this.#dialogs = new ClientDialogs({
      server,
      session: () => this.session,
      typing: this.#typing,
      changed: () => this.#changed(),
      opened: () => this.#opened(),
    });
    this.#lock = new ClientLock({
      server,
      session: () => this.#session,
      changed: () => this.#changed(),
    });
    this.#disposables = [
      this.#dialogs,
      this.#lock,
      this.#typing,
      this.#views,
      this.#status,
      this.#keys,
      server.notices.on((notice) => this.#noticed(notice)),
      server.ran.on(() => this.#commandRan()),
    ];
    this.#expectTake();
  }

  get running(): Running {
    return this.#parts.running;
  }

  get server(): TmuxServer {
    return this.running.server;
  }

  get pid(): number {
    return this.#parts.pid;
  }

  get path(): string {
    return this.#parts.path;
  }

  get kind(): string {
    return this.#parts.kind;
  }

  get isEnded(): boolean {
    return this.#end !== null;
  }

  get isReadOnly(): boolean {
    return this.flags.has('read-only');
  }

  get session(): TmuxSession {
    const session = this.#session ?? this.server.sorted[0];
    if (session === undefined) throw new Error('the client has no session');
    return session;
  }

  set session(session: TmuxSession) {
    const before = this.#session;
    if (before === session || this.isEnded) return;
    if (before !== null) this.lastSession = before;
    this.#session = session;
    this.#panned = null;
    const { server } = this;
    server.clients.add(this);
    server.use(session, this);
    session.lastAttachedAtMs = server.nowMs();
    server.focus.shows(this, before);
    this.#fit();
    this.redraw();
  }

  get keyTable(): string {
    return this.#keys.table;
  }

  useKeyTable(name: string): void {
    this.#keys.useTable(name);
  }

  tableChanged(): void {
    this.redraw();
  }

  /** Shows a target for the first time. */
  begin({ session }: Target): void {
    this.session = session;
    // As with tmux, whose clients tell their sizes once more when they are shown.
    void this.#fitted.then(() =>
      this.server.notices.emit({ name: 'client-resized', client: this }),
    );
  }

  /** Takes what a person did, as JSON. Whoever sends it need not wait for what comes of it. */
  async line(text: string): Promise<void> {
    const event = JSON.parse(text) as TmuxEvent;
    if (this.isEnded) return;
    this.#events = ignored(
      this.#events.then(() => this.#handle(event)),
      'the window or the session may have gone meanwhile',
    );
  }

  /** Waits for the next picture. */
  async take(signal: CancelSignal): Promise<TmuxControlAnswer> {
    if (this.#giveUp !== null) clearTimeout(this.#giveUp);
    this.#giveUp = null;
    const gone = () => this.detach();
    if (signal.aborted) gone();
    signal.addEventListener('abort', gone);
    try {
      for (;;) {
        // Its process has gone, or looks for the next daemon: this one ends.
        if (signal.aborted) return { output: '', ended: true };
        if (this.#end !== null)
          return { output: lastFrameText(this.#session, this.#end), ended: true };
        await this.#due();
        const frame = this.#end === null ? await this.#frame() : null;
        if (this.#end !== null || frame === null) continue;
        this.#expectTake();
        return { output: tmuxFrameText(frame), ended: false };
      }
    } finally {
      signal.removeEventListener('abort', gone);
    }
  }

  async resize(cols: number, rows: number): Promise<void> {
    if (this.cols === cols && this.rows === rows) return;
    this.cols = cols;
    this.rows = rows;
    this.server.focus.used(this);
    this.#fit();
    this.server.notices.emit({ name: 'client-resized', client: this });
    this.redraw();
  }

  detach(end?: ClientEnd, { command, hangsUp }: Detaching = {}): void {
    if (this.#end !== null) return;
    const message = end ?? `detached (from session ${this.#session?.name ?? ''})`;
    this.#end = {
      message: hangsUp === undefined ? message : message.replace('detached', 'detached and SIGHUP'),
      status: 0,
      ...defined({ command, hangsUp }),
    };
    this.dispose();
    this.server.clients.delete(this);
    const session = this.#session;
    if (session !== null) {
      this.server.focus.ended(this, session);
      const fitted = this.server.inTurn(async () => {
        // After what the command does that has ended it.
        this.server.notices.emit({ name: 'client-detached', client: this });
        await fitWindows(this.server);
      });
      ignored(fitted, 'the server may have ended');
    }
    this.#wake();
    // The end is taken with the last picture, which a client of a busy machine may ask for late.
    setTimeout(this.#parts.onEnd, givenUpMs).unref();
  }

  /** Stops what it does. Its process is told nothing: it looks for the next daemon. */
  dispose(): void {
    this.#gone.abort();
    for (const timer of [this.#giveUp, this.#nameTimer]) if (timer !== null) clearTimeout(timer);
    for (const each of this.#disposables) each.dispose();
  }

  tell(text: string, ms: number, isPlain: boolean): void {
    this.#dialogs.tell(text, ms, isPlain);
  }

  ask(request: PromptRequest): Promise<string | null> {
    return this.#dialogs.ask(request);
  }

  choose(request: MenuRequest): Promise<MenuItem | null> {
    return this.#dialogs.choose(request);
  }

  choosePane(ms: number, takesKeys: boolean): Promise<TmuxPane | null> {
    return this.#dialogs.choosePane(ms, takesKeys);
  }

  popup(request: PopupRequest): ShownPopup | null {
    return this.#dialogs.popup(request);
  }

  closeOverlay(): void {
    this.#dialogs.closeOverlay();
  }

  type(pane: TmuxPane, keys: readonly KeyPress[]): void {
    this.#typing.keys(pane, keys);
  }

  click(pane: TmuxPane, mouse: MousePlace): void {
    const { current } = pane.modes;
    if (current === null) {
      const { mouseTracking = 'none' } = this.#views.latest(pane.session)?.modes ?? {};
      if (mouseTracking !== 'none') this.#typing.mouse(pane, mouse);
    } else if (current.list !== null && mouse.event.action === 'press') {
      current.list.click(mouse.paneRow);
      this.redraw();
    }
  }

  drag(pane: TmuxPane): void {
    this.#keys.drag({ type: 'copy', pane });
  }

  dragBorder(): void {
    this.#keys.drag({ type: 'border' });
  }

  pan(by: { readonly rows: number; readonly cols: number } | null): void {
    const { x = 0, y = 0 } = this.composed?.window ?? {};
    this.#panned =
      by === null ? null : { row: Math.max(0, y + by.rows), col: Math.max(0, x + by.cols) };
    this.#changed();
  }

  columnOf({ index }: WindowLink): number | null {
    return this.composed === null ? null : windowColumn(this.composed.status.lines, index);
  }

  redraw(): void {
    this.#status.isDue = true;
    this.#changed();
  }

  suspend(): void {
    this.#suspends = true;
    this.#changed();
  }

  readonly lock = (): void => this.#lock.lock();

  copied(): void {
    this.#copies = true;
    this.#changed();
  }

  /** Runs what a key is bound to. Resolves when it is done, or when it asks the person for something. */
  async run(commands: string, mouse: MousePlace | null): Promise<void> {
    this.mouse = mouse;
    const target = mouse === null ? null : mouseTarget(mouse);
    const opened = new Promise<void>((resolve) => {
      this.#opened = resolve;
    });
    this.#run = this.#done(this.running.runner.runBound(commands, this.#caller, target));
    await Promise.race([this.#run, opened]);
  }

  async pressInMode(pane: TmuxPane, name: string): Promise<void> {
    const { list = null, name: mode } = pane.modes.current ?? {};
    if (mode === 'clock-mode') return leaveMode(this.server, pane);
    if (list === null) return;
    const output = new Output();
    const call = new Call(this.server, this.#caller, output, this.running.runner);
    const opened = new Promise<void>((resolve) => {
      this.#opened = resolve;
    });
    this.#run = this.#done(pressInList(call, pane, list, name).then(() => output));
    await Promise.race([this.#run, opened]);
    this.redraw();
  }

  /** Shows what commands have printed, and what has failed. */
  async #done(running: Promise<Output>): Promise<void> {
    const output = await running.catch((error: unknown) => {
      const failed = new Output();
      failed.stderr = asVtrError(error).message;
      return failed;
    });
    await this.#parts.onRun();
    if (this.isEnded) return;
    const shown = (text: string) => this.server.shown(text, 'known').trimEnd();
    const [printed, failed] = [shown(output.stdout), shown(output.stderr)];
    if (printed !== '')
      viewLines(this.server, this.session.current.window.active, printed.split('\n'));
    if (failed === '') return;
    const [line = ''] = failed.split('\n');
    const ms = this.session.options.number('display-time');
    this.tell(`${line.charAt(0).toUpperCase()}${line.slice(1)}`, ms, true);
  }

  async #handle(event: TmuxEvent): Promise<void> {
    if (this.isEnded) return;
    switch (event.type) {
      case 'key':
        return this.#press(event);
      case 'run':
        this.#used();
        return this.run(event.commands, null);
      case 'usesMouse':
        this.#usesMouse = true;
        return this.#changed();
      case 'paste':
        return this.#paste(event.text);
      case 'mouse':
        this.#used();
        return this.#dialogs.mouse(event.mouse) ? undefined : this.#keys.mouse(event.mouse);
      case 'focus':
        this.#typing.focus(this.session.current.window.active, event.focused);
        return this.server.focus.changed(this, event.focused);
      case 'unlocked':
        this.#lock.isLocked = false;
        this.#pictures.forget();
        this.#used();
        return this.redraw();
      case 'size':
        return this.resize(event.size.cols, event.size.rows);
    }
  }

  async #press({ press, table, otherwise }: TmuxEvent & { readonly type: 'key' }): Promise<void> {
    this.#used();
    const plain = plainPress(press);
    const taken = this.#dialogs.press(press, plain, boundPress(plain)?.name ?? '');
    if (taken === 'taken') return;
    // What an answer does comes before the key.
    if (taken === 'answered') await this.#run;
    if (table === undefined) await this.#keys.press(press);
    else await this.#keys.pressIn(table, press, otherwise);
  }

  #paste(text: string): void {
    this.#used();
    if (this.#dialogs.paste(text) || this.isReadOnly) return;
    this.#typing.paste(this.session.current.window.active, text);
  }

  /** The person used the client: the windows get its size, if it is that of the latest. */
  #used(): void {
    const latest = [...this.server.clients].sort((one, two) => two.activity - one.activity)[0];
    this.server.use(this.session, this);
    this.server.focus.used(this);
    this.#lock.renew();
    if (latest !== this) this.#fit();
  }

  #fit(): void {
    const fitted = this.server.inTurn(() => fitWindows(this.server));
    this.#fitted = ignored(fitted, 'the server may have ended');
  }

  #outputCame(): void {
    this.#changed();
    this.#lookAtNames();
  }

  /** Options may be other ones: the status line has another height, or windows another size. */
  #commandRan(): void {
    this.#lock.renew();
    this.#fit();
    this.redraw();
  }

  /** Programs start others without a sign: the names of windows follow them. */
  #lookAtNames(): void {
    this.#nameTimer ??= setTimeout(() => {
      this.#nameTimer = null;
      this.redraw();
    }, namedMs).unref();
  }

  #rang(session: PaneSession, count: number): void {
    const { options, current } = this.session;
    const isHere = current.window.panes.some((pane) => pane.session.id === session.id);
    const action = options.text('bell-action');
    if (!isHere || !['any', 'current'].includes(action)) return;
    if (options.text('visual-bell') !== 'on') this.#bells += count;
    if (options.text('visual-bell') === 'off') return;
    this.tell('Bell in current window', options.number('display-time'), true);
  }

  #noticed({ name, window }: Notice): void {
    if (name === 'pane-set-clipboard' && window === this.session.current.window) this.copied();
    if (name === 'session-window-changed') this.#fit();
    this.#lookAtNames();
    this.redraw();
  }

  #changed(): void {
    this.#isDirty = true;
    this.#wake();
  }

  /** Waits until something has changed, and the last picture is old enough. */
  async #due(): Promise<void> {
    while (!this.#isDirty && this.#end === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const leftMs = this.#sentAtMs + frameMs - performance.now();
    if (leftMs > 0 && this.#end === null) await delay(Math.min(leftMs, frameMs));
  }

  /** Draws the picture. Returns what has changed; null if nothing has. */
  async #frame(): Promise<TmuxFrame | null> {
    this.#isDirty = false;
    if (this.#lock.isLocked) return null;
    await this.#fitted;
    const size = { cols: this.cols, rows: this.rows };
    if (this.#session === null || !this.server.sessions.has(this.#session.id)) return null;
    const { current: link } = this.#session;
    const composed = await this.#views.drawing(() =>
      compose({
        server: this.server,
        size,
        link,
        views: this.#views,
        status: this.#status,
        message: this.#dialogs.message,
        prompt: this.#dialogs.prompt,
        overlay: this.#dialogs.overlay,
        usesMouse: this.#usesMouse,
        panned: this.#panned,
      }),
    );
    this.composed = composed;
    this.#typing.looksAt(link.window.active);
    const effects = this.#takeEffects();
    const changes = this.#pictures.changes(size, composed);
    if (changes === null && !effects.isAny) return null;
    this.#sentAtMs = performance.now();
    const { isAny: _isAny, ...once } = effects;
    const { cursor, title, mouse } = composed;
    const { full = false, rows = [] } = changes ?? {};
    const { name: session } = this.#session;
    return { session, size, full, rows, cursor, title, mouse, ...once, end: null };
  }

  /** What is told once. */
  #takeEffects() {
    const [bells, suspends, locks] = [this.#bells, this.#suspends, this.#lock.take()];
    const clipboard = this.#copies ? (this.server.buffers.all[0]?.text ?? null) : null;
    this.#bells = 0;
    this.#suspends = false;
    this.#copies = false;
    const isAny = bells > 0 || suspends || locks !== null || clipboard !== null;
    return { bells, suspends, locks, clipboard, isAny };
  }

  #expectTake(): void {
    this.#giveUp = setTimeout(() => this.detach(), givenUpMs).unref();
  }
}
