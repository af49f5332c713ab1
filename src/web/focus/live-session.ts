import { signal } from '@preact/signals';
import { type Disposable, encodeUtf8, ignored, Outages, ownTimers, type Timers } from '#base';
import type { AnswerJson, MouseEventJson, RequestJson } from '#messages';
import { Mirror, type MirrorEvent, type MirrorListener } from '#mirror';
import { type Cell, exitClause, type KeyPress, maxSide, type Size } from '#model';
import { Terminal } from '#vt';
import { keyMessage } from '../input/key-events.ts';
import type { StreamMessage } from '../link/frame.ts';
import { type Calls, errorText, isSilent, LinkError, type Stream } from '../link/link.ts';
import { exitStatusOf, wordOf } from '../link/values.ts';

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
  } | null;
  readonly note: string;
  /** The name of the person who asks this page for the session. */
  readonly askedBy: string | null;
  readonly viewers: readonly { readonly name: string; readonly kind: string }[];
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
  /** Default: those of the page. */
  readonly timers?: Timers;
}

const noDriver: Driving = {
  drives: false,
  holds: false,
  driver: null,
  note: '',
  askedBy: null,
  viewers: [],
};

/** A person who does nothing on the page for this time gives the session back, in ms. */
const idleMs = 300_000;
/** So does one who looks at another tab for this time, in ms. */
const hiddenMs = 60_000;

/** Lines above the screen that come with the first picture. */
const firstLines = 200;
/** A coordinator that was lost is joined again and again. */
const patience = { firstPauseMs: 1_000, maxPauseMs: 1_000 };
/**
 * An input that is older than this is not sent, nor sent again after a lost connection, in ms: the time after
 * which a connection that answers nothing withdraws it.
 */
const inputLimitMs = 5_000;
/** A session is watched until the person types. Then the viewing is one of somebody at the terminal. */
type ViewingAs = 'VIEW_AS_WATCH' | 'VIEW_AS_AUTO';

/** Inputs that are not answered: fewer than the calls after which the server stops to read. */
const maxInputs = 32;

/** What is typed, without the session and the viewing. */
type Typed =
  | { readonly method: 'SendKey'; readonly body: RequestJson<'SendKey'> }
  | { readonly method: 'SendText'; readonly body: RequestJson<'SendText'> }
  | { readonly method: 'SendMouse'; readonly body: RequestJson<'SendMouse'> };

type Input = Typed & { readonly atMs: number };

/** The difference is absolute because the clock may have been set back. */
const isLate = ({ atMs }: Input): boolean => Math.abs(Date.now() - atMs) > inputLimitMs;

/**
 * A session that is shown as it happens: a copy of its terminal, who drives it, and what is typed.
 * Continues by itself after a lost connection.
 */
export class LiveSession {
  readonly driving = signal<Driving>(noDriver);
  /** Whether the terminal has the keyboard: from the first character, or a take, until the person gives back or rests. */
  readonly isTyping = signal(false);
  readonly #mirror: Mirror;
  readonly #options: LiveOptions;
  readonly #offUp: () => void;
  /** Inputs that are not answered yet, by id, in the order of typing. */
  readonly #inputs = new Map<string, Input>();
  #events: Stream | null = null;
  #view: Stream | null = null;
  #viewId: string | null = null;
  /** Updates of the viewing that wait for its id, the last of each kind. */
  readonly #updates = new Map<string, ViewChange>();
  #as: ViewingAs = 'VIEW_AS_WATCH';
  /** Counts the viewings: one that was opened late is not another one. */
  #views = 0;
  #isViewing = false;
  #isLooking: boolean;
  /** What was typed and is not sent yet: the viewing is not known, or too much is under way. */
  #held: Input[] = [];
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
    this.#offUp = options.link.onUp(() => this.#join());
  }

  /** Null until the first state. Another one when events were skipped. */
  get terminal(): Terminal | null {
    return this.#mirror.terminal;
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
    this.#send({ method: 'SendKey', body: { keys: [{ press: keyMessage(press) }] } });
  }

  text(text: string): void {
    this.#send({ method: 'SendText', body: { text, paste: 'PASTE_MODE_NEVER' } });
  }

  paste(text: string): void {
    this.#send({ method: 'SendText', body: { text, paste: 'PASTE_MODE_SUPPORTED' } });
  }

  mouse(event: MouseEventJson): void {
    if (!this.driving.value.drives) return;
    this.#send({ method: 'SendMouse', body: { events: [event] } });
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

  /** Watches again. The session gets back the size that it had before. */
  give(note: string): void {
    const { link, sessionId } = this.#options;
    const viewId = this.#viewId;
    const size = this.#sizeToRestore();
    const done: Promise<unknown>[] = [];
    if (viewId !== null) {
      if (size !== null) done.push(link.call('Resize', { sessionId, ...size, viewer: viewId }));
      done.push(link.call('UpdateView', { viewId, give: note === '' ? {} : { note } }));
    }
    this.#resting?.dispose();
    this.#updates.clear();
    this.#sizeBefore = null;
    this.isTyping.value = false;
    this.driving.value = { ...this.driving.value, drives: false, holds: false };
    this.#viewAs('VIEW_AS_WATCH', Promise.allSettled(done));
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
      const told = this.#options.link.call('UpdateView', { viewId, looking });
      ignored(told, 'the next viewing begins with it');
    }
  }

  /** The page's window has another size. */
  resized(): void {
    this.#update({ size: this.#options.size() });
  }

  /** Sets the session's size, once. */
  async fit(size: Size): Promise<void> {
    const { link, sessionId } = this.#options;
    const viewer = this.#viewId ?? '';
    await link.call('Resize', { sessionId, ...size, viewer });
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
    this.#sizeBefore = this.terminal?.size ?? null;
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
    const { viewId, drives = false, holds = false, state = {}, viewers = [] } = message;
    if (viewId) this.#viewId = viewId;
    if (this.#viewId !== null) {
      for (const change of this.#updates.values()) this.#update(change);
      this.#updates.clear();
    }
    const { driver, note = '', askedBy = null } = state;
    this.driving.value = {
      drives,
      holds,
      driver: driver
        ? {
            isPerson: driver.kind !== 'DRIVER_KIND_AGENT',
            holds: driver.holds ?? false,
            name: driver.name ?? '',
          }
        : null,
      note,
      askedBy,
      viewers: viewers.map(({ name = '', kind }) => ({
        name,
        kind: wordOf('VIEWER_KIND_', kind) ?? 'attach',
      })),
    };
    if (!this.#isViewing) {
      this.#isViewing = true;
      this.#repeat();
    }
    this.#sendHeld();
  }

  #send(typed: Typed): void {
    const { link, listener } = this.#options;
    if (link.state.value !== 'up') {
      listener.notice('Not sent: the connection is lost');
      return;
    }
    this.#held.push({ ...typed, atMs: Date.now() });
    this.#begin();
    this.#sendHeld();
  }

  /** Sends what was typed, as far as it may be under way. */
  #sendHeld(): void {
    const { drives, driver } = this.driving.value;
    // Until the viewing is known, it is not known who holds the session.
    if (this.#held.length === 0 || !this.#isViewing || this.#viewId === null) return;
    if (!drives) {
      const who = driver?.name || 'somebody else';
      this.#dropHeld(
        driver === null ? 'the session takes no input' : `${who} holds the session. Ask for it.`,
      );
      return;
    }
    if (this.#held.some(isLate)) {
      // All of it: a line without its beginning would be another one.
      this.#dropHeld('it was typed too long ago');
      return;
    }
    const room = Math.max(0, maxInputs - this.#inputs.size);
    for (const input of this.#held.splice(0, room)) this.#submit(input);
  }

  #dropHeld(why: string): void {
    this.#held = [];
    this.#options.listener.notice(`Not sent: ${why}`);
  }

  /** Input of the same page arrives in the order in which it is typed. */
  #submit(input: Input): void {
    const id = `web-${crypto.randomUUID()}`;
    this.#inputs.set(id, input);
    this.#call(id, input);
  }

  #call(id: string, { method, body }: Input): void {
    const { link, sessionId, listener } = this.#options;
    const viewer = this.#viewId ?? '';
    link.call(method, { sessionId, ...body, viewer, inputId: id }).then(
      () => {
        this.#inputs.delete(id);
        this.#sendHeld();
      },
      (error) => {
        if (isSilent(error)) {
          this.#withdrawAll(errorText(error));
          return;
        }
        // The connection was lost: it is sent again, and has its effect once.
        if (error instanceof LinkError && error.code === 'UNAVAILABLE') return;
        this.#inputs.delete(id);
        const isNothing = error instanceof LinkError && error.code === 'NO_INPUT';
        if (!isNothing) listener.notice(`Not sent: ${errorText(error)}`);
        this.#sendHeld();
      },
    );
  }

  /** The connection has withdrawn all that is not answered, also what is not sent yet. */
  #withdrawAll(why: string): void {
    if (this.#inputs.size === 0) return;
    this.#inputs.clear();
    this.#dropHeld(why);
  }

  #repeat(): void {
    const inputs = [...this.#inputs];
    if (inputs.some(([, input]) => isLate(input))) {
      // As above, with what was typed after it.
      this.#inputs.clear();
      this.#held = [];
      this.#options.listener.notice('Perhaps not sent: the connection was lost for too long');
      return;
    }
    for (const [id, input] of inputs) this.#call(id, input);
  }

  #update(change: ViewChange): void {
    const { link, listener } = this.#options;
    if (this.#viewId === null) {
      this.#updates.set(Object.keys(change).join(), change);
      return;
    }
    const body = { viewId: this.#viewId, ...change };
    link.call('UpdateView', body).catch((error) => listener.notice(errorText(error)));
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
