import {
  applyFrame,
  asVtrError,
  type Cell,
  plainStyle,
  type TmuxControlAnswer,
  type TmuxEnd,
  type TmuxEvent,
  type TmuxFrame,
  tmuxFrameOf,
} from '#model';
import type { Picture, TtyEnvironment, TtyEvent } from '#tty';
import { textCells } from '#vt';
import { runLock } from './tmux-lock.ts';
import { OwnTty } from './tty-screen/own-tty.ts';
import type { Tty } from './tty-screen/tty.ts';

export interface TmuxClientRequest {
  readonly env: TtyEnvironment;
  /** The id of the client. */
  readonly id: string;
  /** As `TmuxCalls.control`. */
  readonly control: (id: string, lines: readonly string[] | null) => Promise<TmuxControlAnswer>;
  /**
   * Attaches to a session again after the daemon was lost. Returns the id of the new client, null if the session has
   * gone, and whether the daemon was stopped on purpose.
   */
  readonly again: (
    session: string,
  ) => Promise<{ readonly id: string | null; readonly isStopped: boolean }>;
  /** What each client that is attached is told first. Default: nothing */
  readonly begins?: readonly TmuxEvent[];
  /** Another session is shown, or the same one has another name. */
  readonly shows?: (session: string) => void;
}

/**
 * Shows what a client of tmux shows in the person's terminal, until it ends.
 *
 * @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal
 */
export async function showTmuxClient(request: TmuxClientRequest): Promise<TmuxEnd> {
  const tty = OwnTty.open(request.env);
  try {
    return await new TmuxClient(tty, request).run();
  } finally {
    await tty.close();
  }
}

const lost: TmuxEnd = { message: 'server exited unexpectedly', status: 1 };
const stopped: TmuxEnd = { message: 'server exited', status: 1 };
/** The next daemon mostly comes sooner than this, in ms; after it, the person is told what the client waits for. */
const toldAfterMs = 1_000;

/** The terminal of a client: it paints the pictures of the daemon, and sends what the person does. */
export class TmuxClient {
  readonly #tty: Tty;
  readonly #control: TmuxClientRequest['control'];
  readonly #again: TmuxClientRequest['again'];
  readonly #begins: readonly TmuxEvent[];
  readonly #shows: (session: string) => void;
  #id: string;
  #session = '';
  #rows: readonly (readonly Cell[])[] = [];
  /** What the person did and was not sent yet. */
  #waiting: string[] = [];
  #isSending = false;
  #isLost = false;
  /** Resolves when the terminal is not locked any more. */
  #unlocked: Promise<void> = Promise.resolve();

  constructor(tty: Tty, request: Omit<TmuxClientRequest, 'env'>) {
    const { id, control, again, begins = [], shows = () => {} } = request;
    this.#tty = tty;
    this.#begins = begins;
    this.#shows = shows;
    this.#id = id;
    this.#control = control;
    this.#again = again;
  }

  async run(): Promise<TmuxEnd> {
    this.send(this.#begins);
    const listeners = [
      this.#tty.onEvents((events) => this.#add(events)),
      this.#tty.onResize((size) => this.send([{ type: 'size', size }])),
    ];
    try {
      for (;;) {
        const frame = await this.#next();
        if ('message' in frame) return frame;
        if (frame.end !== null) return frame.end;
        await this.#show(frame);
      }
    } finally {
      await this.#unlocked;
      for (const each of listeners) each.dispose();
    }
  }

  /** The next picture, also of the next daemon; the end if there is none. */
  async #next(): Promise<TmuxFrame | TmuxEnd> {
    for (;;) {
      try {
        const { output } = await this.#control(this.#id, null);
        if (output !== '') return tmuxFrameOf(output);
      } catch (error) {
        if (asVtrError(error).code !== 'UNAVAILABLE') throw error;
      }
      this.#isLost = true;
      const timer = setTimeout(() => this.#tellLost(), toldAfterMs);
      const { id, isStopped } = await this.#again(this.#session).finally(() => clearTimeout(timer));
      if (id === null) return isStopped ? stopped : lost;
      this.#id = id;
      this.#isLost = false;
      this.#waiting.unshift(...this.#begins.map((event) => JSON.stringify(event)));
      this.#pass();
    }
  }

  /** Resolves when the picture is painted: the next one is asked for when the terminal has room for it. */
  #show(frame: TmuxFrame): Promise<void> {
    const { size, rows, full, cursor, title, mouse, bells, clipboard, suspends } = frame;
    const { locks, session } = frame;
    if (session !== this.#session) this.#shows(session);
    this.#session = session;
    this.#rows = applyFrame(this.#rows, { full, size, rows });
    const shown = this.#rows;
    const painted = new Promise<void>((resolve) => {
      this.#tty.show((): Picture => {
        resolve();
        return { size: this.#tty.size, rows: shown, cursor, title, reverseVideo: false };
      });
    });
    this.#tty.setModes(null, mouse);
    for (let rung = 0; rung < Math.min(bells, 1); rung++) this.#tty.ring();
    if (clipboard !== null) this.#tty.setClipboard(clipboard);
    if (suspends) this.#tty.suspend();
    // The next picture comes when the terminal is unlocked.
    if (locks !== null) this.#unlocked = this.#lock(locks);
    return locks === null ? painted : Promise.resolve();
  }

  async #lock(command: string): Promise<void> {
    await this.#tty.lend(() => runLock(command));
    this.send([{ type: 'unlocked' }]);
  }

  /** Says in the last row what the client waits for. */
  #tellLost(): void {
    const { size } = this.#tty;
    const text = 'The daemon of vtr has gone; waiting up to 15 s for the next one';
    const style = { ...plainStyle, inverse: true };
    const cells = textCells(text.padEnd(size.cols).slice(0, size.cols), style);
    const rows = [...this.#rows.slice(0, size.rows - 1), cells];
    const cursor = { row: 0, col: 0, wrapPending: false, visible: false } as const;
    this.#tty.show(() => ({
      size,
      rows,
      cursor: { ...cursor, shape: 'block', blinking: false },
      title: null,
      reverseVideo: false,
    }));
  }

  #add(events: readonly TtyEvent[]): void {
    const { cols, rows } = this.#tty.size;
    const clientEvents: TmuxEvent[] = [];
    for (const event of events) {
      if (event.type === 'key' && event.action !== 'release') {
        clientEvents.push({ type: 'key', press: event.press });
      } else if (event.type === 'paste') clientEvents.push({ type: 'paste', text: event.text });
      else if (event.type === 'focus') clientEvents.push({ type: 'focus', focused: event.focused });
      else if (event.type === 'mouse') {
        const row = Math.min(event.mouse.row, rows - 1);
        const col = Math.min(event.mouse.col, cols - 1);
        clientEvents.push({ type: 'mouse', mouse: { ...event.mouse, row, col } });
      }
    }
    this.send(clientEvents);
  }

  /** Sends what a person does, after what was done before. */
  send(events: readonly TmuxEvent[]): void {
    this.#waiting.push(...events.map((event) => JSON.stringify(event)));
    this.#pass();
  }

  /** Sends what waits, with one call at a time. What is typed while the daemon is lost waits for the next one. */
  #pass(): void {
    if (this.#isSending || this.#isLost || this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#isSending = true;
    this.#control(this.#id, lines)
      .catch(() => {
        // It is not repeated, because it may have been typed.
        this.#tty.ring();
      })
      .finally(() => {
        this.#isSending = false;
        this.#pass();
      });
  }
}
