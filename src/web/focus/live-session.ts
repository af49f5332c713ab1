import { signal } from '@preact/signals';
import { type Disposable, encodeUtf8, ignored, Outages, ownTimers, type Timers } from '#base';
import type { AnswerJson, MouseEventJson, RequestJson } from '#messages';
import { Mirror, type MirrorEvent, type MirrorListener } from '#mirror';
import { type Cell, exitClause, type KeyPress, maxSide, type Size, type SizedBy } from '#model';
import { Terminal } from '#vt';
import type { StreamMessage } from '../link/frame.ts';
import { type Calls, errorText, type Stream } from '../link/link.ts';
import { exitStatusOf, type OtherViewer, othersOf } from '../link/values.ts';
import { TypedInput, type TypingListener, type TypingView } from './typed-input.ts';

/** Who drives the session, as this page sees it. */
export interface Driving {
  /** Whether what is typed here reaches the program. */
  readonly drives: boolean;
  /** Whether this page holds the session, by a take. */
  readonly holds: boolean;
  readonly driver: {
    readonly isPerson: boolean;
    readonly holds: boolean;
    readonly name: string;
    /** Who handed it to the driver; null if the driver took it. */
    readonly handedBy: string | null;
  } | null;
  readonly note: string;
  /** The name of the person who asks this page for the session. */
  readonly askedBy: string | null;
  /** The others who see the session, oldest first. */
  readonly others: readonly OtherViewer[];
  /** The name of this viewer; empty if an older coordinator does not say. */
  readonly name: string;
  /** Who gave the session its size; null while it has the first one. */
  readonly sizedBy: SizedBy | null;
}

type Event = AnswerJson<'Subscribe'>;
/** A change of the viewing. */
type ViewChange = Omit<RequestJson<'UpdateView'>, 'viewId'>;

export interface LiveListener extends MirrorListener {
  /** The terminal has a new state. Resolves when it was painted. */
  changed(): Promise<void>;
  /** A command began or ended. */
  marked(): void;
  ended(reason: string): void;
  notice(text: string): void;
  /** Another person handed the session to this one. @param note empty for none */
  received(from: string, note: string): void;
}

export interface LiveOptions {
  readonly link: Calls;
  /** The id of the session: its name can change. */
  readonly sessionId: string;
  /** The size that the session gets when the person types. */
  readonly size: () => Size;
  /** Whether the page has the focus at first. */
  readonly isLooking: boolean;
  readonly listener: LiveListener;
  readonly typing?: TypingListener;
  /** Default: those of the page. */
  readonly timers?: Timers;
}

const noDriver: Driving = {
  drives: false,
  holds: false,
  driver: null,
  note: '',
  askedBy: null,
  others: [],
  name: '',
  sizedBy: null,
};

/** A person who does nothing on the page for this time gives the session back, in ms. */
const idleMs = 300_000;
/** So does one who looks at another tab for this time, in ms. */
const hiddenMs = 60_000;

/** Lines above the screen that come with the first picture. */
const firstLines = 200;
/** A coordinator that was lost is joined again and again. */
const patience = { firstPauseMs: 1_000, maxPauseMs: 1_000 };
/** A session is watched until the person types. Then the viewing is one of somebody at the terminal. */
type ViewingAs = 'VIEW_AS_WATCH' | 'VIEW_AS_AUTO';

/**
 * A session that is shown as it happens: a copy of its terminal, who drives it, and what is typed.
 * Continues by itself after a lost connection.
 */
export class LiveSession {
  readonly driving = signal<Driving>(noDriver);
  /** Whether the terminal has the keyboard: from the first character, or a take, until the person gives back or rests. */
  readonly isTyping = signal(false);
  /** What is typed, on its way. */
  readonly typed: TypedInput;
  readonly #mirror: Mirror;
  readonly #options: LiveOptions;
  readonly #offUp: () => void;
  #events: Stream | null = null;
  #view: Stream | null = null;
  #viewId: string | null = null;
  /** Updates of the viewing that wait for its id, the last of each kind. */
  readonly #updates = new Map<string, ViewChange>();
  #as: ViewingAs = 'VIEW_AS_WATCH';
  /** Counts the viewings: one that was opened late is not another one. */
  #views = 0;
  #isViewing = false;
  /** Whether the session was joined again, and inputs may have no answer. */
  #wasLost = false;
  #isLooking: boolean;
  /** The epoch of the last drive of which the person was told that it was handed over. */
  #receivedEpoch = 0;
  /** The size of the session before the person typed here. */
  #sizeBefore: Size | null = null;
  #resting: Disposable | null = null;
  readonly #timers: Timers;
  readonly #outages: Outages;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#timers = options.timers ?? ownTimers;
    this.#outages = new Outages(this.#timers, patience);
    this.#isLooking = options.isLooking;
    this.#mirror = new Mirror(options.listener);
    const { link, sessionId, listener } = options;
    const notice = (text: string) => listener.notice(text);
    this.typed = new TypedInput({
      link,
      sessionId,
      notice,
      timers: this.#timers,
      listener: options.typing,
      view: () => this.#typingView(),
    });
    this.#offUp = options.link.onUp(() => this.#join());
  }

  /** Null until the first state. Another one when events were skipped. */
  get terminal(): Terminal | null {
    return this.#mirror.terminal;
  }

  /** The id of the viewing, if what is typed in it reaches the program; else null. */
  get drivingView(): string | null {
    return this.isTyping.value && this.driving.value.drives ? this.#viewId : null;
  }

  dispose(): void {
    this.#outages.end();
    this.#resting?.dispose();
    this.#views++;
    this.#offUp();
    this.#events?.close();
    this.#view?.close();
    const viewId = this.#viewId;
    if (viewId !== null)
      ignored(
        this.#options.link.call('CloseView', { viewId }),
        'the view ends with the connection',
      );
  }

  /** Sends a key, unless another person holds the session. */
  key(press: KeyPress): void {
    this.#afterTyping(this.typed.send({ method: 'SendKey', body: { keys: [press] } }));
  }

  text(text: string): void {
    const body = { text, paste: 'PASTE_MODE_NEVER' } as const;
    this.#afterTyping(this.typed.send({ method: 'SendText', body }));
  }

  paste(text: string): void {
    this.#afterTyping(this.typed.paste(text));
  }

  mouse(event: MouseEventJson): void {
    if (!this.driving.value.drives) return;
    this.#afterTyping(this.typed.send({ method: 'SendMouse', body: { events: [event] } }));
  }

  focus(focused: boolean): void {
    const { link, sessionId } = this.#options;
    const viewer = this.#viewId;
    if (!this.isTyping.value || !this.driving.value.drives || viewer === null) return;
    ignored(
      link.call('SendFocus', { sessionId, focused, viewer }),
      'the program may have ended; the link notices a loss',
    );
  }

  /** Holds the session; from another person only with `force`, else asks. */
  take(force = false): void {
    this.#begin();
    this.#update({ take: { force } });
  }

  /** Watches again, because the person uses another session, unless they hold it. It keeps its size. */
  rest(): void {
    if (this.isTyping.value && !this.driving.value.holds) this.give('', { keepsSize: true });
  }

  /** Watches again. The session gets back the size that it had before, unless it keeps its own. */
  give(note: string, { keepsSize = false } = {}): void {
    const { link, sessionId } = this.#options;
    const viewId = this.#viewId;
    const size = keepsSize ? null : this.#sizeToRestore();
    const done: Promise<unknown>[] = [];
    if (viewId !== null) {
      if (size !== null) done.push(link.call('Resize', { sessionId, ...size, viewer: viewId }));
      done.push(link.call('UpdateView', { viewId, give: note === '' ? {} : { note } }));
    }
    if (!keepsSize) this.#sizeBefore = null;
    this.#watch(Promise.allSettled(done));
  }

  /** Hands the session to another person, in whose window it then is, and watches. If that fails, nothing changes. */
  async hand(to: string, note: string): Promise<void> {
    const { link, listener } = this.#options;
    const viewId = this.#viewId;
    if (viewId === null) return;
    const give = { to, ...(note !== '' && { note }) };
    try {
      await link.call('UpdateView', { viewId, give });
    } catch (error) {
      listener.notice(errorText(error));
      return;
    }
    this.#sizeBefore = null;
    this.#watch();
  }

  /** Watches from now on. @param before what is done first */
  #watch(before?: Promise<unknown>): void {
    this.#resting?.dispose();
    this.#updates.clear();
    this.isTyping.value = false;
    this.driving.value = { ...this.driving.value, drives: false, holds: false };
    this.#viewAs('VIEW_AS_WATCH', before);
  }

  /** The person does something on the page. */
  active(): void {
    this.#restIn(idleMs);
  }

  /** The page is in view from now on, or is not. */
  inView(isInView: boolean): void {
    this.#restIn(isInView ? idleMs : hiddenMs);
  }

  /** The person looks at the page from now on, or does not. */
  look(looking: boolean): void {
    if (looking === this.#isLooking) return;
    this.#isLooking = looking;
    const viewId = this.#viewId;
    if (viewId === null) this.#updates.set('looking', { looking });
    else {
      const update = this.#options.link.call('UpdateView', { viewId, looking });
      ignored(update, 'the next viewing begins with it');
    }
  }

  /** The page's window has another size. */
  resized(): void {
    this.#update({ size: this.#options.size() });
  }

  /** Sets the session's size, once; for one who watches, as an agent does, which waits while a person types. */
  async fit(size: Size): Promise<void> {
    const { link, sessionId } = this.#options;
    const viewer = this.drivingView;
    const sender = viewer === null ? { by: this.driving.value.name } : { viewer };
    await link.call('Resize', { sessionId, ...size, ...sender });
  }

  /** Returns lines above the screen that the terminal of this page does not have. */
  async readLines(from: number, to: number): Promise<Cell[][]> {
    const { link, sessionId } = this.#options;
    // A person sees what is there.
    const how = { format: 'RENDER_FORMAT_ANSI', redact: false } as const;
    const range = { from: String(from), to: String(to) };
    const { lines = [] } = await link.call('ReadLines', { sessionId, ...range, ...how });
    const scratch = new Terminal({
      size: { cols: maxSide, rows: 1 },
      scrollback: { maxLines: lines.length + 1, maxBytes: Number.MAX_SAFE_INTEGER },
    });
    scratch.feed(encodeUtf8(lines.map(({ text = '' }) => `${text}\r\n`).join('')));
    return Array.from(scratch.readLines(0, lines.length), ({ reader }) => reader.cells());
  }

  #restIn(ms: number): void {
    if (!this.isTyping.value) return;
    this.#resting?.dispose();
    this.#resting = this.#timers.schedule(ms, () => this.give(''));
  }

  /** Returns the size of the session before the person typed, if it has the size of this window now. */
  #sizeToRestore(): Size | null {
    const before = this.#sizeBefore;
    const [now, own] = [this.terminal?.size, this.#options.size()];
    if (before === null || now?.cols !== own.cols || now.rows !== own.rows) return null;
    return before.cols === own.cols && before.rows === own.rows ? null : before;
  }

  /** The person comes to the terminal. */
  #begin(): void {
    this.isTyping.value = true;
    this.active();
    if (this.#as === 'VIEW_AS_AUTO') return;
    this.#sizeBefore ??= this.terminal?.size ?? null;
    this.#viewAs('VIEW_AS_AUTO');
  }

  /** Leaves the viewing, and opens another one. @param before what is done first */
  #viewAs(as: ViewingAs, before: Promise<unknown> = Promise.resolve()): void {
    const { link } = this.#options;
    const viewId = this.#viewId;
    const view = this.#view;
    const number = ++this.#views;
    this.#as = as;
    this.#viewId = null;
    this.#isViewing = false;
    if (viewId === null) {
      view?.close();
      this.#openView();
      return;
    }
    // One person has one viewing at a time, or it would have a number in its name.
    const left = before.then(() => {
      view?.close();
      return link.call('CloseView', { viewId });
    });
    void ignored(left, 'the viewing ends with its stream').then(() => {
      if (number === this.#views && link.state.value === 'up') this.#openView();
    });
  }

  #join(): void {
    const { link, sessionId, listener } = this.#options;
    this.#outages.back();
    this.#views++;
    this.#wasLost = true;
    this.#events?.close();
    const subscribe = { sessionId, includeEvents: true, scrollbackLines: firstLines };
    this.#events = link.open('Subscribe', subscribe, {
      message: (message) => this.#apply(message),
      ended: (reason) => {
        if (reason?.code === 'UNAVAILABLE') this.#joinLater();
        else if (reason !== null) listener.ended(reason.message);
      },
    });
    this.#openView();
  }

  #openView(): void {
    const { link, sessionId } = this.#options;
    const looking = this.#isLooking;
    const view = { sessionId, ...this.#options.size(), as: this.#as, looking };
    const lastView = this.#viewId === null ? {} : { viewId: this.#viewId };
    const number = this.#views;
    this.#isViewing = false;
    this.#view?.close();
    this.#view = link.open(
      'View',
      { ...view, ...lastView },
      {
        message: ({ body }) => {
          if (number === this.#views) this.#viewed(body);
        },
        ended: () => {},
      },
    );
  }

  /** Joins again if the coordinator is lost, and not the connection, with which that happens anyway. */
  #joinLater(): void {
    if (this.#options.link.state.value !== 'up') return;
    this.#outages.lost();
    void this.#outages.pause().then((isDue) => isDue && this.#join());
  }

  #viewed(message: AnswerJson<'View'>): void {
    const { viewId, drives = false, holds = false, state = {}, person = '' } = message;
    const { viewers = [] } = message;
    const before = this.driving.value;
    if (viewId) this.#viewId = viewId;
    if (this.#viewId !== null) {
      for (const change of this.#updates.values()) this.#update(change);
      this.#updates.clear();
    }
    const { driver, note = '', askedBy = null, sizedBy } = state;
    this.driving.value = {
      drives,
      holds,
      driver: driver
        ? {
            isPerson: driver.kind !== 'DRIVER_KIND_AGENT',
            holds: driver.holds ?? false,
            name: driver.name ?? '',
            handedBy: driver.handedBy ?? null,
          }
        : null,
      note,
      askedBy,
      others: othersOf(viewers, person),
      name: person,
      sizedBy: sizedBy ? { name: '', cols: 0, rows: 0, ...sizedBy } : null,
    };
    this.#tellChange(before, state.epoch ?? 0);
    this.#isViewing = true;
    if (this.#wasLost) this.typed.repeat();
    this.#wasLost = false;
    this.typed.flush();
  }

  /** Tells that another person handed the session over, or took it. Who has received it is at the terminal from then on. */
  #tellChange(before: Driving, epoch: number): void {
    const { listener } = this.#options;
    const { holds, driver, note } = this.driving.value;
    if (before.holds && !holds && driver?.holds && driver.handedBy === null) {
      if (this.isTyping.value) listener.notice(`${driver.name} took it over from you`);
    }
    if (!holds || driver === null || driver.handedBy === null || epoch === this.#receivedEpoch)
      return;
    this.#receivedEpoch = epoch;
    // The viewing that holds the session is the one in which the person types.
    this.#as = 'VIEW_AS_AUTO';
    this.#sizeBefore ??= this.terminal?.size ?? null;
    this.isTyping.value = true;
    this.active();
    listener.received(driver.handedBy, note);
  }

  #typingView(): TypingView | null {
    const { drives, driver } = this.driving.value;
    const id = this.#viewId;
    return id === null || !this.#isViewing ? null : { id, drives, driver: driver?.name ?? null };
  }

  /** Something was typed: from now on the person is at the terminal. */
  #afterTyping(isHeld: boolean): void {
    if (!isHeld) return;
    this.#begin();
    this.typed.flush();
  }

  #update(change: ViewChange): void {
    const { link, listener } = this.#options;
    if (this.#viewId === null) {
      this.#updates.set(Object.keys(change).join(), change);
      return;
    }
    const body = { viewId: this.#viewId, ...change };
    link.call('UpdateView', body).catch((error) => {
      // The next viewing begins with the size. The page tells of the lost connection, which changes the size.
      const isRepeated = change.size !== undefined && link.state.value !== 'up';
      if (!isRepeated) listener.notice(errorText(error));
    });
  }

  async #apply({ body, bytes }: StreamMessage<Event>): Promise<void> {
    const { listener } = this.#options;
    const { sessionExited, mark } = body;
    const event = mirrorEvent(body, bytes ?? new Uint8Array());
    if (event !== null) {
      this.#mirror.apply(event);
      await listener.changed();
      return;
    }
    if (mark !== undefined) listener.marked();
    const { exitStatus } = sessionExited ?? {};
    if (exitStatus !== undefined) listener.ended(exitClause(exitStatusOf(exitStatus)));
  }
}

function mirrorEvent({ state, output, resize }: Event, bytes: Uint8Array): MirrorEvent | null {
  if (output !== undefined) return { type: 'output', offset: Number(output.offset ?? 0), bytes };
  if (state !== undefined) {
    const { cols = 0, rows = 0, firstLine = 0, offset = 0 } = state;
    const size = { cols, rows };
    const at = { firstLine: Number(firstLine), offset: Number(offset) };
    return { type: 'snapshot', size, dump: bytes, ...at };
  }
  if (resize === undefined) return null;
  const { cols = 0, rows = 0, erasedRow: row, erasedCol: col } = resize;
  const event = { type: 'resize', size: { cols, rows } } as const;
  return row === undefined || col === undefined ? event : { ...event, erasedFrom: { row, col } };
}
