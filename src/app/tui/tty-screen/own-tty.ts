import { type Clock, type Disposable, deferred, Emitter, toDisposable, within } from '#base';
import { type MouseTracking, type Size, type ViewModes, VtrError } from '#model';
import {
  type Capabilities,
  canPaint,
  capabilitiesOf,
  enterAgain,
  enterMore,
  enterTty,
  initialTtyModes,
  leaveTty,
  type NotifiedText,
  notificationBytes,
  type Painted,
  type Picture,
  paint,
  probe,
  requestModes,
  statusQuery,
  TtyDecoder,
  type TtyEnvironment,
  type TtyEvent,
  type TtyModes,
  type TtyReply,
  ttyModesFor,
} from '#tty';
import { AwaitedAnswers, isTyped } from './awaited-answers.ts';
import { type Tty, ttyClock } from './tty.ts';
import { onEndOfProcess, type ProcessEnd, TtyDevice } from './tty-device.ts';

/** The terminal of this process: stdin and stdout. */
export class OwnTty implements Tty {
  readonly #environment: TtyEnvironment;
  readonly #device: TtyDevice;
  readonly #decoder = new TtyDecoder();
  readonly #pacer: FramePacer;
  readonly #events = new Emitter<readonly TtyEvent[]>(rethrow);
  readonly #resized = new Emitter<Size>(rethrow);
  #endings: ProcessEnd;
  #capabilities: Capabilities;
  #modes: TtyModes;
  #shown: { readonly program: ViewModes | null; readonly mouse: MouseTracking } = {
    program: null,
    mouse: 'none',
  };
  #draw: (() => Picture) | null = null;
  #painted: Painted | null = null;
  readonly #answers = new AwaitedAnswers(ttyClock);
  #escapeTimer: Disposable | null = null;
  #isShown = false;
  /** The number of notifications that were shown. */
  #notified = 0;
  /** Another program has the terminal. */
  #isLent = false;
  /** Resolves when no other program has it. */
  #lent: Promise<void> = Promise.resolve();
  #hasLeft = false;
  #size: Size;

  /** @throws VtrError INVALID_ARGUMENT if stdin or stdout is not a terminal, or it cannot show pictures */
  static open(environment: TtyEnvironment): OwnTty {
    if (canPaint(environment)) return new OwnTty(environment);
    const name = environment.TERM ? `TERM is ${environment.TERM}` : 'TERM is not set';
    throw new VtrError(
      'INVALID_ARGUMENT',
      `${name}: vtr cannot draw in this terminal; if it can, name its kind, as in TERM=xterm-256color vtr attach`,
    );
  }

  private constructor(environment: TtyEnvironment) {
    this.#environment = environment;
    this.#capabilities = capabilitiesOf(environment);
    this.#modes = initialTtyModes(this.#capabilities);
    this.#device = new TtyDevice({
      data: (bytes) => this.#read(bytes),
      resized: () => this.#onSize(this.#device.size),
      drained: () => this.#pacer.resume(),
      closed: () => this.#endings.end('SIGHUP'),
    });
    this.#size = this.#device.size;
    this.#pacer = new FramePacer(ttyClock, {
      isBusy: () => this.#device.isBusy || !this.#isShown,
      sendFrame: () => this.#sendFrame(),
    });
    this.#endings = this.#watchEnd();
  }

  #watchEnd(): ProcessEnd {
    return onEndOfProcess({
      leave: () => this.leave(),
      suspend: () => this.suspend(),
      resume: () => this.#resume(),
    });
  }

  get size(): Size {
    return this.#size;
  }

  show(draw: () => Picture): void {
    if (this.#draw === null) this.#begin();
    this.#draw = draw;
    this.#pacer.want();
  }

  onEvents(listener: (events: readonly TtyEvent[]) => void): Disposable {
    const own = this.#events.on(listener);
    this.#readWanted();
    return toDisposable(() => {
      own.dispose();
      this.#readWanted();
    });
  }

  /** What is typed while nobody listens stays in the terminal, for whoever reads it next. */
  #readWanted(): void {
    if (!this.#isShown || this.#isLent) return;
    if (this.#events.listenerCount > 0) this.#device.unpause();
    else this.#device.pause();
  }

  onResize(listener: (size: Size) => void): Disposable {
    return this.#resized.on(listener);
  }

  setModes(program: ViewModes | null, mouse: MouseTracking): void {
    this.#shown = { program, mouse };
    const keys: ViewModes | null = program && { ...program, mouseTracking: 'none' };
    const after = ttyModesFor(keys, mouse === 'x10' ? 'normal' : mouse, this.#capabilities);
    const bytes = requestModes(this.#modes, after);
    this.#modes = after;
    this.#decoder.kittyFlags = after.kittyFlags;
    if (this.#isShown) this.#device.write(bytes);
  }

  setClipboard(text: string): boolean {
    if (!this.#isShown || !this.#capabilities.ignoresUnknown) return false;
    const base64 = Buffer.from(text).toString('base64');
    this.#device.write(`\x1b]52;c;${base64}\x1b\\`);
    return true;
  }

  notify(notification: NotifiedText): boolean {
    if (!this.#isShown || !this.#capabilities.ignoresUnknown) return false;
    this.#notified++;
    this.#device.write(notificationBytes(notification, `vtr-${process.pid}-${this.#notified}`));
    return true;
  }

  reportStatus(sequence: string): void {
    if (this.#isShown && this.#capabilities.ignoresUnknown) this.#device.write(sequence);
  }

  ring(): void {
    if (this.#isShown) this.#device.write('\x07');
  }

  repaint(): void {
    this.#painted = null;
    this.#pacer.want();
  }

  async lend<T>(use: () => Promise<T>): Promise<T> {
    if (!this.#isShown) return use();
    const lent = deferred();
    this.#lent = lent.promise;
    this.#isLent = true;
    this.#handOver();
    this.#device.pause();
    // The keys that interrupt are for the other program.
    const ignore = () => {};
    this.#endings.dispose();
    process.on('SIGINT', ignore).on('SIGQUIT', ignore);
    try {
      return await use();
    } finally {
      process.off('SIGINT', ignore).off('SIGQUIT', ignore);
      this.#endings = this.#watchEnd();
      this.#isLent = false;
      this.#resume();
      lent.resolve();
    }
  }

  suspend(): void {
    if (this.#hasLeft) return;
    const late = this.#isShown ? this.#hide() : [];
    this.#endings.stop();
    // After what was read with the key that suspends.
    if (late.length > 0) queueMicrotask(() => this.#tell(late));
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#pacer.dispose();
    this.#escapeTimer?.dispose();
    this.#endings.dispose();
    if (this.#isShown) this.#handOver();
    this.#device.end();
  }

  /** As `leave`, after what waits has been written and the last answers have come. */
  async close(): Promise<void> {
    this.#pacer.dispose();
    await this.#lent;
    if (this.#isShown) {
      this.#device.pause();
      await within(ttyClock, lastFrameMs, this.#device.written());
      const late = await this.#answers.readSoon(this.#device, this.#decoder);
      if (late.isTyped) this.ring();
    }
    this.leave();
  }

  /** Until here the terminal is as the shell left it: a call that hangs can be interrupted. */
  #begin(): void {
    this.#device.begin();
    this.#onSize(this.#device.size);
    this.#enter();
  }

  #enter(): void {
    const bytes = (this.#isShown ? enterAgain : enterTty)(this.#capabilities);
    if (this.#answers.hasAnswered) this.#askWith(bytes);
    else this.#device.write(bytes);
    this.#isShown = true;
  }

  /** Sends what a terminal may answer with a report. */
  #askWith(bytes: string): void {
    if (bytes === '') return;
    this.#device.write(bytes + statusQuery);
    this.#answers.ask('status');
  }

  /**
   * Gives the terminal back. Its answers and reports come first: the next program would take them for keys.
   *
   * @returns what was read until the last of them
   */
  #hide(): readonly TtyEvent[] {
    this.#isShown = false;
    const asks = this.#answers.mayReport;
    this.#device.writeNow(leaveTty(this.#capabilities) + (asks ? statusQuery : ''));
    if (asks) this.#answers.ask('status');
    const { events, probed } = this.#answers.readNow(this.#device, this.#decoder);
    this.#device.setRaw(false);
    if (probed !== null) this.#takeAnswers(probed);
    return events;
  }

  /** As `#hide`, for another program. Keys that were read cannot be put back: that is told. */
  #handOver(): void {
    if (this.#hide().some(isTyped)) this.#device.writeNow('\x07');
  }

  /** Another process may have used the terminal. */
  #resume(): void {
    if (this.#hasLeft || this.#isLent || this.#draw === null) return;
    this.#device.renewRaw();
    this.#enter();
    this.#readWanted();
    this.#modes = initialTtyModes(this.#capabilities);
    this.setModes(this.#shown.program, this.#shown.mouse);
    this.#onSize(this.#device.size);
    this.repaint();
  }

  #sendFrame(): number {
    if (this.#draw === null) return 0;
    const { bytes, painted } = paint(this.#painted, this.#draw(), this.#capabilities);
    this.#painted = painted;
    this.#device.write(bytes);
    this.#ask();
    return bytes.length;
  }

  /** After the first picture, because a terminal may take long to answer. */
  #ask(): void {
    if (this.#answers.isProbed || !this.#capabilities.ignoresUnknown) return;
    // Late answers count, too: a slow connection must not mean fewer colours.
    this.#answers.probe();
    this.#device.write(probe());
  }

  #read(bytes: Uint8Array): void {
    this.#escapeTimer?.dispose();
    this.#escapeTimer = null;
    this.#tell(this.#decoder.feed(bytes));
    this.#awaitRest();
  }

  /** An ESC is a key unless the rest of a sequence follows soon. */
  #awaitRest(): void {
    const { waitMs } = this.#decoder;
    if (waitMs === null) return;
    this.#escapeTimer = ttyClock.schedule(waitMs, () => {
      this.#tell(this.#decoder.flush(waitMs));
      this.#awaitRest();
    });
  }

  #tell(events: readonly TtyEvent[]): void {
    const replies = this.#answers.add(events);
    if (replies !== null) this.#takeAnswers(replies);
    const ofPerson: TtyEvent[] = [];
    for (const event of events) {
      if (event.type === 'size') this.#onSize(event.size);
      else if (event.type !== 'reply') ofPerson.push(event);
    }
    if (ofPerson.length === 0 || this.#hasLeft) return;
    this.#pacer.typed();
    this.#events.emit(ofPerson);
  }

  #takeAnswers(replies: readonly TtyReply[]): void {
    const before = this.#capabilities;
    const after = capabilitiesOf(this.#environment, replies);
    if (this.#hasLeft || isSame(before, after)) return;
    this.#capabilities = after;
    if (this.#isShown) this.#askWith(enterMore(before, after));
    const { kittyFlags } = initialTtyModes(after);
    this.#modes = { ...this.#modes, kittyFlags };
    this.setModes(this.#shown.program, this.#shown.mouse);
    if (looksOther(before, after)) this.repaint();
  }

  #onSize(size: Size): void {
    if (size.cols === this.#size.cols && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#painted = null;
    this.#resized.emit(size);
  }
}

const isSame = (one: Capabilities, other: Capabilities): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Whether the same picture looks better when it is painted again. */
const looksOther = (one: Capabilities, other: Capabilities): boolean =>
  one.colors !== other.colors ||
  one.styledUnderlines !== other.styledUnderlines ||
  one.hyperlinks !== other.hyperlinks ||
  one.reverseVideo !== other.reverseVideo ||
  one.graphemeClusters !== other.graphemeClusters;

/** A defect in a listener ends the process, after the terminal is restored. */
function rethrow(error: unknown): never {
  throw error;
}

/** For how long the end waits until earlier output was written, in ms. */
const lastFrameMs = 1_000;

/** The pause between two frames, in ms: at most 60 a second. */
const frameMs = 16;
/** For this long after a person typed, in ms, small frames come sooner: they are what the person waits for. */
const echoMs = 100;
/** The pause after such a frame, in bytes a ms: 30 bytes of an echo are no pause, 2 KB a whole one. */
const bytesPerMs = 128;
/** The pause is at least this many times what the frame took to draw, so that drawing leaves time for others. */
const drawnTimes = 2;

/** What accepts frames. */
interface FrameSink {
  /** Whether earlier output is still waiting. Once it is not, {@link FramePacer.resume} must be called. */
  readonly isBusy: () => boolean;
  /** Returns how many bytes were sent: 0 if there was nothing to send. */
  readonly sendFrame: () => number;
}

/**
 * Decides when a frame is sent: at once after a pause, then 16 ms after the one before. After a key the pause is what
 * the frame before has cost, in bytes and time, so an echo does not wait for the time of a whole picture. While the
 * sink is busy none is sent, so that the state waits and not its bytes.
 */
export class FramePacer {
  readonly #clock: Clock;
  readonly #sink: FrameSink;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** The pause that the last frame earned, in ms, if a person types. */
  #costMs = 0;
  #typedMs = Number.NEGATIVE_INFINITY;
  #isWanted = false;
  #timer: Disposable | null = null;
  #dueMs = 0;

  constructor(clock: Clock, sink: FrameSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  /** A person has typed. */
  typed(): void {
    this.#typedMs = this.#clock.nowMs();
    // A frame that waits for its time may be the echo of the key before.
    if (this.#isWanted) this.want();
  }

  /** Something changed: a frame is sent as soon as it may be. */
  want(): void {
    this.#isWanted = true;
    if (this.#sink.isBusy()) return;
    const nowMs = this.#clock.nowMs();
    const dueMs = Math.max(nowMs, this.#lastMs + this.#pauseMs(nowMs));
    if (this.#timer !== null) {
      if (dueMs >= this.#dueMs) return;
      this.#timer.dispose();
    }
    this.#dueMs = dueMs;
    const leftMs = dueMs - nowMs;
    // What arrives in the same turn belongs to the same frame.
    if (leftMs < 1) this.#timer = this.#clock.afterPendingIo(() => this.#due());
    else this.#timer = this.#clock.schedule(leftMs, () => this.#due());
  }

  /** The sink is not busy any more. */
  resume(): void {
    if (this.#isWanted) this.want();
  }

  dispose(): void {
    this.#isWanted = false;
    this.#timer?.dispose();
    this.#timer = null;
  }

  #pauseMs(nowMs: number): number {
    return nowMs - this.#typedMs < echoMs ? this.#costMs : frameMs;
  }

  #due(): void {
    this.#timer = null;
    if (!this.#isWanted || this.#sink.isBusy()) return;
    this.#isWanted = false;
    const nowMs = this.#clock.nowMs();
    const bytes = this.#sink.sendFrame();
    // A key changes nothing by itself: its echo, which comes next, must not wait.
    if (bytes === 0) return;
    const drawnMs = this.#clock.nowMs() - nowMs;
    this.#lastMs = nowMs;
    this.#costMs = Math.min(frameMs, Math.max(bytes / bytesPerMs, drawnTimes * drawnMs));
  }
}
