import { type Clock, type Disposable, ignored, Outages, watchSilence } from '#base';
import { type FramedScreen, screenAfter } from '#mirror/frames';
import {
  asVtrError,
  type Coordinator,
  cellsText,
  looksLikePrompt,
  type RowFrame,
  type SessionRef,
  type SessionsEvent,
  type SessionsWatch,
  VtrError,
} from '#model';
import type { CoordinatorLink } from '../coordinator-link.ts';

/** A coordinator is tried again for ever. */
const patience = { firstPauseMs: 250, maxPauseMs: 4_000 };
/** Events of this time are told together: the picture changes at most so often, in ms. */
const togetherMs = 50;
const previewPerSecond = 20;
/** After this time, a call for frames that failed is made again, in ms. */
const againMs = 500;
/** How often the coordinator is asked for a sign of life, in ms. */
const checkMs = 2000;

export interface WatchedLinkListener {
  events(events: readonly SessionsEvent[]): void;
  state(state: 'connected' | 'lost', reason: string): void;
  /** The last lines of sessions, by id, that have changed. */
  lastLines(lines: ReadonlyMap<string, string>): void;
}

type Ref = Exclude<SessionRef, string>;

/** The sessions of one coordinator, through losses of the connection, until it is disposed. */
export class WatchedLink implements Disposable {
  readonly #link: CoordinatorLink;
  readonly #clock: Clock;
  readonly #listener: WatchedLinkListener;
  readonly #lastLines: LastLines;
  #coordinator: Coordinator | null = null;
  /** Connections with which it was started. */
  readonly #started: Coordinator[] = [];
  #watch: SessionsWatch | null = null;
  #preview: Ref | null = null;
  #isLooking = false;
  #isShown = true;
  #waiting: SessionsEvent[] = [];
  #timer: Disposable | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;
  readonly #outages: Outages;
  #silence: Disposable | null = null;
  /** Asks for frames again. */
  #again: Disposable | null = null;
  #isDisposed = false;

  constructor(link: CoordinatorLink, clock: Clock, listener: WatchedLinkListener) {
    this.#link = link;
    this.#clock = clock;
    this.#listener = listener;
    this.#outages = new Outages(clock, patience);
    this.#lastLines = new LastLines((lines) => listener.lastLines(lines));
    void this.#run();
  }

  /** Returns the connection to the coordinator. @throws VtrError UNAVAILABLE if there is none */
  coordinator(): Coordinator {
    if (this.#coordinator !== null) return this.#coordinator;
    throw new VtrError('UNAVAILABLE', `${this.#link.name} does not answer`);
  }

  /** As {@link coordinator}. Starts the coordinator if it may be started. @throws VtrError */
  async started(): Promise<Coordinator> {
    const { start } = this.#link;
    if (this.#coordinator !== null || start === undefined) return this.coordinator();
    const coordinator = await start();
    this.#started.push(coordinator);
    this.#outages.hurry();
    return coordinator;
  }

  /**
   * Asks for frames of one session, and none of any other.
   *
   * @param looking whether the person looks at it
   * @param isShown whether they are shown; else they only tell that the person looks, and few are enough
   */
  setPreview(session: Ref | null, looking: boolean, isShown = true): void {
    const isSame = session?.id === this.#preview?.id && isShown === this.#isShown;
    if (isSame && looking === this.#isLooking) return;
    this.#preview = session;
    this.#isLooking = looking;
    this.#isShown = isShown;
    if (this.#watch !== null) this.#sendFrames(this.#watch);
  }

  /**
   * Asks for the frames that are wanted now. A call can fail whose watch goes on, as when the coordinator was busy for
   * long; it is made again: else nobody would look at the session.
   */
  #sendFrames(watch: SessionsWatch): void {
    watch.setFrames(this.#frames()).catch(() => {
      if (this.#isDisposed) return;
      this.#again?.dispose();
      this.#again = this.#clock.schedule(againMs, () => {
        if (this.#watch === watch) this.#sendFrames(watch);
      });
    });
  }

  /** Asks for the last lines of these sessions. */
  setLines(sessions: readonly Ref[]): void {
    this.#lastLines.follow(sessions);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
    this.#silence?.dispose();
    this.#again?.dispose();
    this.#watch?.dispose();
    this.#lastLines.dispose();
    this.#outages.end();
    for (const each of [...this.#started, this.#coordinator])
      ignored(each?.close(), 'the connection is given up');
  }

  #frames() {
    return this.#preview === null
      ? null
      : {
          sessions: [this.#preview],
          perSecond: this.#isShown ? previewPerSecond : 1,
          looking: this.#isLooking,
        };
  }

  async #run(): Promise<void> {
    while (!this.#isDisposed) {
      let error = new VtrError('UNAVAILABLE', 'the connection was lost');
      try {
        await this.#follow();
      } catch (thrown) {
        error = asVtrError(thrown);
      }
      if (this.#isDisposed) return;
      this.#outages.lost();
      this.#lose(this.#reasonOf(error));
      await this.#outages.pause();
    }
  }

  /**
   * A person's own coordinator that does not run has no sessions: nothing is lost. A container that has ended was
   * to end.
   */
  #reasonOf({ message, details: { reason } }: VtrError): string {
    const isToBe =
      reason === 'NOT_SELECTED' || (this.#link.start !== undefined && reason === 'ENOENT');
    return isToBe ? '' : message;
  }

  /** Resolves or rejects when the connection is lost. */
  async #follow(): Promise<void> {
    const coordinator = await this.#link.connect();
    this.#coordinator = coordinator;
    if (this.#isDisposed) {
      await coordinator.close();
      return;
    }
    const frames = this.#frames();
    const watch = await coordinator.watchSessions(frames === null ? {} : { frames });
    this.#watch = watch;
    if (this.#isDisposed) watch.dispose();
    const { sessions = [], looking, perSecond } = this.#frames() ?? {};
    const isOther = sessions[0]?.id !== frames?.sessions[0]?.id;
    if (isOther || looking !== frames?.looking || perSecond !== frames?.perSecond) {
      this.#sendFrames(watch);
    }
    void this.#lastLines.begin(coordinator);
    // A coordinator that is suspended keeps its connections: what is shown of it would only look current.
    const responds = () => this.#link.responds();
    this.#silence = watchSilence(this.#clock, checkMs, responds, (isSilent) => {
      if (!isSilent) this.#listener.state('connected', '');
      else this.#listener.state('lost', 'its process is suspended, at work, or hangs');
    });
    for await (const event of watch) {
      if (event.type === 'sessions') {
        this.#outages.back();
        this.#listener.state('connected', '');
      }
      this.#add(event);
    }
  }

  #lose(reason: string): void {
    this.#silence?.dispose();
    this.#again?.dispose();
    ignored(this.#coordinator?.close(), 'the connection is lost already');
    this.#coordinator = null;
    this.#watch = null;
    this.#lastLines.end();
    this.#listener.state('lost', reason);
    // A coordinator that is restarted continues its sessions.
    if (this.#outages.losses > 1) this.#add({ type: 'sessions', sessions: [] });
  }

  #add(event: SessionsEvent): void {
    this.#waiting.push(event);
    if (this.#timer !== null) return;
    const leftMs = this.#toldMs + togetherMs - this.#clock.nowMs();
    this.#timer = this.#clock.schedule(Math.max(0, leftMs), () => this.#tell());
  }

  #tell(): void {
    this.#timer = null;
    this.#toldMs = this.#clock.nowMs();
    const events = this.#waiting;
    this.#waiting = [];
    if (!this.#isDisposed) this.#listener.events(events);
  }
}

/** What is known of a session's screen. */
interface Known {
  readonly screen: FramedScreen;
  readonly line: string;
}

/** The last line that each of some sessions shows, once a second. */
class LastLines {
  readonly #tell: (lines: ReadonlyMap<string, string>) => void;
  readonly #states = new Map<string, Known>();
  #coordinator: Coordinator | null = null;
  #watch: SessionsWatch | null = null;
  #sessions: readonly Ref[] = [];
  #changed = new Map<string, string>();

  constructor(tell: (lines: ReadonlyMap<string, string>) => void) {
    this.#tell = tell;
  }

  /** Follows sessions instead of those before. */
  follow(sessions: readonly Ref[]): void {
    const ids = new Set(sessions.map(({ id }) => id));
    const isSame =
      ids.size === this.#sessions.length && this.#sessions.every(({ id }) => ids.has(id));
    if (isSame) return;
    this.#sessions = sessions;
    for (const id of this.#states.keys()) if (!ids.has(id)) this.#states.delete(id);
    ignored(this.#watch?.setFrames(this.#frames()), 'the reader of the watch notices a loss');
  }

  /** Follows the sessions by a connection, until it is lost or `end`. */
  async begin(coordinator: Coordinator): Promise<void> {
    this.#coordinator = coordinator;
    try {
      const watch = await coordinator.watchSessions();
      if (this.#coordinator !== coordinator) {
        watch.dispose();
        return;
      }
      this.#watch = watch;
      await watch.setFrames(this.#frames());
      for await (const event of watch) {
        if (event.type === 'frame') this.#read(event.id, event.frame);
      }
    } catch {
      // The other watch of the same connection tells why it was lost.
    }
  }

  end(): void {
    this.#coordinator = null;
    this.#watch?.dispose();
    this.#watch = null;
    this.#states.clear();
  }

  dispose(): void {
    this.end();
    this.#changed.clear();
  }

  #frames() {
    return this.#sessions.length === 0 ? null : { sessions: this.#sessions, perSecond: 1 };
  }

  #read(id: string, frame: RowFrame): void {
    const before = this.#states.get(id);
    const screen = screenAfter(before?.screen ?? null, frame);
    if (screen === null) return;
    const line = lineOf(screen);
    this.#states.set(id, { screen, line });
    if (line === before?.line) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tellChanged());
    this.#changed.set(id, line);
  }

  #tellChanged(): void {
    const lines = this.#changed;
    this.#changed = new Map();
    if (lines.size > 0) this.#tell(lines);
  }
}

/** The edge of a field or a box, which says nothing. */
const edge = /^[\u2500-\u259f\s]+$/u;

/** The last row with text; on the primary screen, of those down to the cursor, unless its row is an empty prompt. */
function lineOf({ rows, cursor, alternate }: FramedScreen): string {
  const textOf = (row: number) => cellsText(rows[row] ?? []).trim();
  const isPrompt = !alternate && looksLikePrompt(textOf(cursor.row));
  const end = alternate ? rows.length : isPrompt ? cursor.row : cursor.row + 1;
  for (let row = end - 1; row >= 0; row--) {
    const text = textOf(row);
    if (text !== '' && !edge.test(text)) return text;
  }
  return '';
}
