import { signal } from '@preact/signals';
import { encodeUtf8, ignored, Outages, ownTimers } from '#base';
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
  /** Whether this page drives. */
  readonly drives: boolean;
  readonly driver: { readonly isPerson: boolean; readonly name: string } | null;
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
  /** The size that the session gets while this page drives. */
  readonly size: () => Size;
  /** Whether the page has the focus at first. */
  readonly isLooking: boolean;
  readonly listener: LiveListener;
}

const noDriver: Driving = { drives: false, driver: null, note: '', askedBy: null, viewers: [] };

/** Lines above the screen that come with the first picture. */
const firstLines = 200;
/** A coordinator that was lost is joined again and again. */
const patience = { firstPauseMs: 1_000, maxPauseMs: 1_000 };
/**
 * An input that is older than this is not sent, nor sent again after a lost connection, in ms: the time after
 * which a connection that answers nothing withdraws it.
 */
const inputLimitMs = 5_000;
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
  #isViewing = false;
  #isLooking: boolean;
  /** What was typed while nobody drove, until this page does. */
  #held: Input[] = [];
  #isTaking = false;
  readonly #outages = new Outages(ownTimers, patience);

  constructor(options: LiveOptions) {
    this.#options = options;
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

  /** Sends a key. The first one of a page drives where nobody does. */
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
    if (!this.driving.value.drives || viewer === null) return;
    ignored(
      link.call('SendFocus', { sessionId, focused, viewer }),
      'the program may have ended; the link notices a loss',
    );
  }

  /** Drives at once; from another person only with `force`, else asks. */
  take(force = false): void {
    this.#update({ take: { force } });
  }

  give(note: string): void {
    this.#update({ give: note === '' ? {} : { note } });
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

  #join(): void {
    const { link, sessionId, listener } = this.#options;
    this.#outages.back();
    this.#isViewing = false;
    this.#events?.close();
    this.#view?.close();
    const subscribe = { sessionId, includeEvents: true, scrollbackLines: firstLines };
    this.#events = link.open('Subscribe', subscribe, {
      message: (message) => this.#apply(message),
      ended: (reason) => {
        if (reason?.code === 'UNAVAILABLE') this.#joinLater();
        else if (reason !== null) listener.ended(reason.message);
      },
    });
    const looking = this.#isLooking;
    const view = { sessionId, ...this.#options.size(), as: 'VIEW_AS_WATCH', looking } as const;
    const lastView = this.#viewId === null ? {} : { viewId: this.#viewId };
    this.#view = link.open(
      'View',
      { ...view, ...lastView },
      {
        message: ({ body }) => this.#viewed(body),
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

  #viewed({ viewId, drives = false, state = {}, viewers = [] }: AnswerJson<'View'>): void {
    if (viewId) this.#viewId = viewId;
    if (this.#viewId !== null) {
      for (const change of this.#updates.values()) this.#update(change);
      this.#updates.clear();
    }
    const { driver, note = '', askedBy = null } = state;
    this.driving.value = {
      drives,
      driver: driver
        ? { isPerson: driver.kind !== 'DRIVER_KIND_AGENT', name: driver.name ?? '' }
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
    this.#sendHeld();
  }

  /** Sends what was typed as the driver; drives first where nobody does. */
  #sendHeld(): void {
    const { link } = this.#options;
    const { drives, driver } = this.driving.value;
    // Until the viewing is known, it is not known who drives.
    if (this.#held.length === 0 || !this.#isViewing || this.#viewId === null) return;
    if (!drives && driver === null) {
      if (this.#isTaking) return;
      this.#isTaking = true;
      link
        .call('UpdateView', { viewId: this.#viewId, take: { force: false } })
        .catch((error) => this.#dropHeld(errorText(error)))
        .finally(() => {
          this.#isTaking = false;
        });
      return;
    }
    if (!drives) {
      this.#dropHeld(`${driver?.name || 'somebody else'} drives. Take over to type.`);
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
