import { setImmediate } from 'node:timers/promises';
import { deferred, defined } from '#base';
import {
  asVtrError,
  type Coordinator,
  type ExitStatus,
  exitClause,
  replacesLabel,
  type SessionInfo,
  type Size,
  silentReason,
  stateText,
  toldStatusOf,
  type ViewingState,
  VtrError,
} from '#model';
import { type PredictedInput, PredictedScreen } from '#predict';
import type { Picture, TtyEvent } from '#tty';
import { Runtime, type Shown } from '../runtime.ts';
import { type Tty, ttyClock } from '../tty-screen/tty.ts';
import type { SessionScreen } from '../view/session-screen.ts';
import {
  type Action,
  compose,
  drives,
  type Effect,
  initialView,
  isForView,
  type Notification,
  sessionSize,
  update,
  ViewReads,
  type ViewState,
  wakeAtMs,
  wantedMouse,
} from '../view/view.ts';
import { pasteBuffer, pastesOf } from './copying.ts';
import { type Input, InputQueue, inputOf, sendInput } from './input-queue.ts';
import { OtherSessions } from './other-sessions.ts';
import { PassedStatus } from './passed-status.ts';
import { perform } from './perform.ts';
import type { AttachOptions, Scene, Way } from './scene.ts';
import { SessionConnection } from './session-connection.ts';
import { SessionMirror } from './session-mirror.ts';
import { hasFormat, StatusFormat } from './status-format.ts';
import { ordered } from './ways.ts';

/** A window that is being resized changes the session when it has had one size for this time, in ms. */
const resizeMs = 60;
/** The earlier picture stays for this time, in ms: most sessions are shown sooner, and nothing flickers. */
const slowMs = 300;

/** What a person wants of other sessions, or tells in words. */
const needsList: ReadonlySet<Effect['type']> = new Set([
  ...(['session', 'neighbour', 'number', 'last', 'newSession', 'removeAndGo'] as const),
  ...(['command', 'complete'] as const),
]);

/** Commands that the person has typed after `:`, in any session. */
let commandLines: readonly string[] = [];

/** One session in the person's terminal, until the person leaves it. */
export class AttachedSession {
  readonly #tty: Tty;
  readonly #options: AttachOptions;
  readonly #mirror: SessionMirror;
  readonly #predicted: PredictedScreen<SessionScreen>;
  /** Null if the person does not want it. */
  readonly #status: PassedStatus | null;
  readonly #connection: SessionConnection;
  readonly #input: InputQueue;
  readonly #runtime: Runtime<ViewState, Action, Effect, Way>;
  #window: Size;
  #picture: Picture | null = null;
  /** What was shown last, if nothing was added to it. */
  #sampled: SessionScreen | null = null;
  #reads: { readonly of: Coordinator; readonly reads: ViewReads } | null = null;
  /** What was typed before it is known who drives, and in which modes; null from then on. */
  #queue: TtyEvent[] | null = [];
  #sessions: ReadonlyMap<string, SessionInfo> = new Map();
  readonly #others: OtherSessions;
  #info: { readonly name: string; readonly id: string };
  /** Null where the person wrote no format for the status line. */
  readonly #format: StatusFormat | null;
  /** Resolves when all sessions are known, or cannot be. */
  readonly #hasList = deferred();
  /** Aborted when the person leaves. */
  readonly #ended = new AbortController();
  /** A line to show as soon as it can be read. */
  #line: number | undefined;
  #exit: ExitStatus | null = null;
  #hasTyped = false;
  /** Whether the coordinator no longer has the session. */
  #isRemoved = false;
  /** Whether keys were on the way when the connection was lost, or the coordinator fell silent. */
  #mayLackKeys = false;
  #resizeTimer: NodeJS.Timeout | undefined;
  #slowTimer: NodeJS.Timeout | undefined;
  /** Whether something that was typed before was not sent. */
  #lacksKeys = false;

  constructor(tty: Tty, options: AttachOptions) {
    const { link, session, person, settings, first, as = 'auto', sizing } = options;
    this.#others = options.others ?? new OtherSessions(settings.bell === 'all');
    this.#tty = tty;
    this.#options = options;
    this.#info = session;
    this.#line = this.#options.line;
    this.#window = tty.size;
    const state = initialView({
      window: this.#window,
      session: session.name,
      coordinator: link.name,
      status: settings.status,
      keys: settings.keys,
      watches: as === 'watch',
      notifications: settings.notifications,
      ...defined({ usesMouse: settings.usesMouse }),
      commandLines,
    });
    this.#runtime = new Runtime<ViewState, Action, Effect, Way>({
      tty,
      clock: ttyClock,
      first: state,
      program: {
        update,
        wakeAtMs,
        view: (shown) => this.#view(shown),
        follow: (shown) => {
          this.#fit(shown.window);
          this.#format?.follow(shown);
        },
        sample: () => this.#sample(),
        takes: (event) => this.#takes(event),
        perform: (effect) => this.#do(effect),
      },
    });
    this.#format = hasFormat(settings)
      ? new StatusFormat(settings, {
          sessions: () => ordered({ sessions: this.#sessions, group: settings.group ?? null }),
          id: () => this.#info.id,
          tell: (text) => this.#runtime.tell({ type: 'status', text }),
        })
      : null;
    this.#mirror = new SessionMirror(first?.frame ?? sessionSize(state), {
      changed: () => this.#changed(),
      exited: (status) => this.#exited(status),
      bell: () => settings.bell !== 'none' && tty.ring(),
      notification: (notification) => this.#runtime.tell({ type: 'notification', notification }),
      clipboard: (text) => settings.clipboard && tty.setClipboard(text),
      lost: (error) => this.#connection.interrupted(error),
    });
    this.#status = settings.passesStatus
      ? new PassedStatus((sequence) => tty.reportStatus(sequence), ttyClock)
      : null;
    this.#predicted = new PredictedScreen({
      mode: settings.predict ?? 'auto',
      timers: ttyClock,
      screen: () => this.#mirror.screen(),
      changed: () => this.#runtime.show(),
    });
    this.#connection = new SessionConnection({
      link,
      session,
      person,
      as,
      sizing,
      mirror: this.#mirror,
      timers: ttyClock,
      size: () => sessionSize(this.#runtime.state),
      listener: {
        connected: (info) => this.#connected(info),
        viewing: (viewing) => {
          this.#runtime.tell({ type: 'viewing', viewing });
          this.#releaseIfKnown();
        },
        sessions: (all) => this.#listed(all),
        lost: (untilMs) => this.#lost(untilMs),
        silent: (isSilent) => this.#silent(isSilent),
        gone: (reason) => this.#gone(reason),
      },
    });
    this.#input = new InputQueue(
      async (input) => {
        await this.#connection.begun;
        await sendInput(this.#connection, this.#info, input);
        this.#predicted.written(predictedInput(input));
        this.#mayLackKeys = false;
      },
      (error) => this.#inputFailed(error),
    );
  }

  /** Whether an event is for vtr now: the leader; all keys after it, in scroll mode, a menu, or an ended session. */
  isCommand(event: TtyEvent): boolean {
    const { state } = this.#runtime;
    return state.connection.state === 'ended' || isForView(state, event);
  }

  /** Shows the session until the person leaves. */
  async run(): Promise<Way> {
    const ended = this.#runtime.run();
    const { first } = this.#options;
    if (first !== undefined) this.#showInfo(first.info);
    // Keys go to the session from now on, so the person must see that it is on its way.
    if (first === undefined) this.#slowTimer = setTimeout(() => this.#runtime.show(), slowMs);
    else {
      this.#runtime.show();
      // The client, which takes long to load, is loaded after the first picture is sent.
      await setImmediate();
      await setImmediate();
    }
    const keeping = this.#connection.keep();
    const way = await ended;
    await this.#leave();
    await keeping;
    return way.type === 'detached' && this.#lacksKeys ? { ...way, isUnsent: true } : way;
  }

  async #leave(): Promise<void> {
    this.#ended.abort();
    this.#hasList.resolve();
    clearTimeout(this.#resizeTimer);
    clearTimeout(this.#slowTimer);
    this.#predicted.dispose();
    this.#status?.dispose();
    if (!(await this.#input.finish())) this.#lacksKeys = true;
    await this.#connection.dispose();
  }

  #say(text: string): void {
    this.#runtime.tell({ type: 'notice', text });
  }

  #view(state: ViewState): Shown {
    const modes = drives(state) ? this.#mirror.modes : null;
    this.#picture = compose(state, this.#picture);
    return { picture: this.#picture, modes, mouse: wantedMouse(state) };
  }

  /** The screen of the session: its modes decide what a key or the wheel does. */
  #sample(): Action | null {
    const { terminal } = this.#mirror;
    if (terminal === null && this.#options.first === undefined) return null;
    const { source, cells } = this.#sampled ?? {};
    const isSame =
      terminal !== null && source === terminal && cells?.revision === terminal.revision;
    // Mostly a key comes when the echo of the one before has long been shown.
    if (isSame && !this.#predicted.isOpen) return null;
    const read = this.#mirror.screen();
    const screen = this.#predicted.show(read);
    this.#sampled = screen === read ? read : null;
    return { type: 'screen', screen };
  }

  /** Keeps what is typed until it is known who drives, and tells the program of the focus. */
  #takes(event: TtyEvent): boolean {
    if (event.type === 'focus') this.#connection.look(event.focused);
    // Who types looks, whatever the terminal told of its focus.
    else if (event.type === 'key') this.#connection.look(true);
    if (this.#queue !== null && !isForView(this.#runtime.state, event)) this.#queue.push(event);
    else if (event.type === 'focus') this.#focused(event.focused);
    else return false;
    return true;
  }

  #releaseIfKnown(): void {
    const events = this.#queue;
    if (events === null || this.#runtime.state.viewing === null || this.#mirror.terminal === null)
      return;
    this.#queue = null;
    if (events.length > 0) this.#runtime.read(events);
  }

  /** Tells that what is held is not sent; what is typed from now on is not held. */
  #dropHeld(why: string): void {
    const isAny = this.#holdsInput;
    this.#queue = null;
    if (!isAny) return;
    this.#say(`not sent: ${why}`);
    this.#tty.ring();
  }

  get #holdsInput(): boolean {
    return (
      this.#queue?.some(({ type }) => type === 'key' || type === 'paste' || type === 'bytes') ??
      false
    );
  }

  #focused(focused: boolean): void {
    const { focusReporting } = this.#mirror.modes;
    if (focusReporting && drives(this.#runtime.state)) this.#input.add({ type: 'focus', focused });
  }

  #fit(window: Size): void {
    if (window === this.#window) return;
    this.#window = window;
    clearTimeout(this.#resizeTimer);
    this.#resizeTimer = setTimeout(() => {
      const resized = this.#connection.viewing?.resize(sessionSize(this.#runtime.state));
      resized?.catch((error: unknown) => this.#failed(error));
    }, resizeMs);
  }

  #changed(): void {
    const line = this.#line;
    // The first output is the screen: from here on, lines above it can be read.
    if (line !== undefined && this.#connection.coordinator !== null) {
      this.#line = undefined;
      this.#runtime.tell({ type: 'goTo', line });
    }
    this.#releaseIfKnown();
    this.#runtime.show();
  }

  #connected(info: SessionInfo): void {
    this.#showInfo(info);
    this.#runtime.tell({ type: 'connection', connection: { state: 'connected' } });
    if (this.#mayLackKeys) this.#say('connected again; the last keys may not have arrived');
    this.#mayLackKeys = false;
  }

  #showInfo(info: SessionInfo): void {
    this.#info = { name: info.name, id: info.id };
    const isRecorded = info.recording?.state === 'on';
    const does = [info.agent?.kind, stateText(info)].filter((each) => each !== undefined).join(' ');
    const activity = `${does}${isRecorded ? ' · recording' : ''}`;
    this.#runtime.tell({ type: 'session', name: info.name, activity });
  }

  #listed(all: ReadonlyMap<string, SessionInfo>): void {
    this.#sessions = all;
    this.#hasList.resolve();
    const { others, news, rang } = this.#others.note(all, this.#info.id, ttyClock.nowMs());
    this.#runtime.tell({ type: 'others', others, news });
    if (rang) this.#tty.ring();
    this.#format?.changed();
    const own = all.get(this.#info.id);
    const next = [...all.values()].find((each) => each.labels?.[replacesLabel] === this.#info.id);
    if (own !== undefined) {
      this.#showInfo(own);
      this.#status?.update(toldStatusOf(own));
    } else if (next !== undefined) this.#goTo(next);
    else if (!this.#isRemoved) {
      this.#isRemoved = true;
      if (this.#exit !== null) this.#showEnd(this.#exit);
    }
  }

  /** Another session has taken the place of this one: a pane of tmux was respawned. */
  #goTo({ name, id }: SessionInfo): void {
    const as = this.#options.as === 'watch' ? 'watch' : 'auto';
    this.#runtime.end({ type: 'other', session: { name, id }, as });
  }

  #lost(untilMs: number): void {
    this.#hasList.resolve();
    if (this.#exit !== null) return;
    if (this.#input.clear()) this.#mayLackKeys = true;
    this.#predicted.reset();
    this.#runtime.tell({ type: 'connection', connection: { state: 'lost', untilMs } });
    this.#dropHeld('the connection is lost');
  }

  #silent(isSilent: boolean): void {
    if (this.#exit !== null) return;
    const state = isSilent ? 'silent' : 'connected';
    this.#runtime.tell({ type: 'connection', connection: { state } });
    if (isSilent || !this.#mayLackKeys) return;
    this.#say('the coordinator answers again; the last keys may not have arrived');
    this.#mayLackKeys = false;
  }

  #gone({ message }: VtrError): void {
    const reason = this.#holdsInput
      ? `${message}; what was typed was not sent`
      : `${message}${this.#mayLackKeys ? '; the last keys may not have arrived' : ''}`;
    // What an ended program has left can still be read.
    if (this.#exit === null) this.#runtime.end({ type: 'lost', reason });
    else this.#say(message);
  }

  #exited(status: ExitStatus): void {
    this.#exit = status;
    if (this.#options.settings.endsWithProgram) {
      this.#runtime.end({ type: 'ended', session: this.#info.name, status });
      return;
    }
    if (this.#remains(status)) this.#showEnd(status);
    else void this.#removeEnded(status);
    this.#dropHeld('the program has ended');
  }

  /** Whether the session stays: the person is not done with it, or never was its user. */
  #remains({ code }: ExitStatus): boolean {
    const { remains = 'on' } = this.#options.settings;
    if (remains === 'on' || !this.#hasTyped) return true;
    return remains === 'failed' && code !== 0;
  }

  /** Removes the session whose program has ended, and leaves. One with work in its worktree stays. */
  async #removeEnded(status: ExitStatus): Promise<void> {
    try {
      await this.#connection.coordinator?.remove(this.#options.session, { keepsWork: true });
      this.#runtime.end({ type: 'ended', session: this.#info.name, status });
    } catch (error) {
      // Another view may have removed it.
      const { code, message } = asVtrError(error);
      if (code === 'SESSION_NOT_FOUND') {
        this.#runtime.end({ type: 'ended', session: this.#info.name, status });
        return;
      }
      this.#showEnd(status);
      this.#say(message);
    }
  }

  #showEnd(status: ExitStatus): void {
    const connection = {
      state: 'ended',
      how: exitClause(status),
      isRemoved: this.#isRemoved,
    } as const;
    this.#runtime.tell({ type: 'connection', connection });
  }

  #inputFailed(error: unknown): void {
    this.#lacksKeys = this.#runtime.isOver;
    this.#predicted.reset();
    if (error === null) {
      this.#say('not sent: the program does not read its input');
      return;
    }
    const { code, details } = asVtrError(error);
    if (code !== 'UNAVAILABLE') {
      this.#failed(error);
      return;
    }
    this.#mayLackKeys = true;
    // With any other reason, the connection broke on the way: that is told, and when it is back.
    if (details['reason'] !== silentReason) return;
    this.#say('not sent: the coordinator does not answer');
    this.#tty.ring();
  }

  #failed(error: unknown): void {
    this.#say(asVtrError(error).message);
  }

  #do(effect: Effect): void {
    const input = inputOf(effect, this.#mirror.modes);
    if (input !== null) {
      if (input.type !== 'focus') {
        this.#hasTyped = true;
        this.#predicted.typed(predictedInput(input));
      }
      this.#input.add(input);
      return;
    }
    if (effect.type === 'leave') {
      this.#runtime.end({ type: 'ended', session: this.#info.name, status: this.#exit });
    } else if (effect.type === 'detach') this.detach();
    else if (effect.type === 'notify') this.#notify(effect.notification);
    else if (effect.type === 'overview' || effect.type === 'switcher')
      this.#look(effect.type === 'switcher');
    else if (effect.type === 'paste') this.#paste();
    else {
      if (effect.type === 'command') commandLines = this.#runtime.state.commandLines;
      void this.#call(effect);
    }
  }

  /** Shows it in the status line, if the person's terminal may not know the sequence. */
  #notify(notification: Notification): void {
    if (this.#tty.notify(notification)) return;
    const { title, body } = notification;
    this.#say([title, body].filter((part) => part !== '').join(': '));
  }

  /** Ends {@link run}, as the key of the person does. */
  detach(): void {
    const { name: session } = this.#info;
    this.#runtime.end({
      type: 'detached',
      session,
      ...defined({ isUnsent: this.#holdsInput || undefined }),
    });
  }

  #look(isSwitcher: boolean): void {
    const { link, last } = this.#options;
    this.#runtime.end({
      type: 'overview',
      session: this.#info,
      link,
      isSwitcher,
      ...defined({ last }),
    });
  }

  /** What was copied last arrives as a paste of the terminal does. */
  #paste(): void {
    const { text } = pasteBuffer;
    if (text === null) this.#say('nothing was copied yet');
    else this.#runtime.read(pastesOf(text));
  }

  /** Effects that the coordinator answers. */
  async #call(effect: Effect): Promise<void> {
    try {
      // A person may be faster than the connection.
      if (this.#connection.coordinator === null) await this.#connection.begun;
      if (needsList.has(effect.type)) await this.#hasList.promise;
      const answer = this.#readsOf().run(effect);
      if (answer !== null)
        return this.#runtime.tell(answer instanceof Promise ? await answer : answer);
      const { way, said, action } = await perform(effect, this.#scene());
      if (action !== undefined) this.#runtime.tell(action);
      if (said !== undefined) this.#say(said);
      if (way !== undefined) this.#runtime.end(way);
    } catch (error) {
      this.#failed(error);
    }
  }

  #scene(): Scene {
    const { viewing } = this.#connection;
    const { settings } = this.#options;
    return {
      coordinator: this.#coordinator,
      viewing,
      session: this.#info,
      receivers: receiversIn(this.#runtime.state.viewing),
      wants: (info) => this.#others.wants(info),
      sessions: this.#sessions,
      link: this.#options.link,
      last: this.#options.last ?? null,
      group: settings.group ?? null,
      size: sessionSize(this.#runtime.state),
      copying: {
        buffer: pasteBuffer,
        copyCommand: settings.copyCommand ?? null,
        setClipboard: (text) => this.#tty.setClipboard(text),
        keys: settings.keys,
      },
      verbs: settings.verbs ?? null,
      ended: this.#ended.signal,
      lend: (use) => this.#runtime.lend(() => this.#tty.lend(use)),
    };
  }

  #readsOf(): ViewReads {
    // While the connection is lost, the lines in this process can still be read.
    if (this.#connection.coordinator === null && this.#reads !== null) return this.#reads.reads;
    const coordinator = this.#coordinator;
    if (this.#reads?.of !== coordinator) {
      const terminal = () => this.#mirror.terminal;
      const reads = new ViewReads({ coordinator, session: this.#info, terminal });
      this.#reads = { of: coordinator, reads };
    }
    return this.#reads.reads;
  }

  /** @throws VtrError UNAVAILABLE while the coordinator cannot be reached */
  get #coordinator(): Coordinator {
    const { coordinator } = this.#connection;
    if (coordinator !== null) return coordinator;
    throw new VtrError(
      'UNAVAILABLE',
      `the coordinator ${this.#options.link.name} is not connected`,
    );
  }
}

/** Only what keys do can be told before the program shows it. */
const predictedInput = (input: Input): PredictedInput =>
  input.type === 'keys' ? input.keys : 'other';

/** Returns the names of the others to whom the session can be handed. */
const receiversIn = (viewing: ViewingState | null): readonly string[] =>
  (viewing?.viewers ?? [])
    .filter(({ name, kind, readOnly }) => name !== viewing?.name && kind !== 'ui' && !readOnly)
    .map(({ name }) => name);
