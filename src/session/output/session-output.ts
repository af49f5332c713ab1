import { beginWork, type Clock, type Disposable, type Emitter, endWork } from '#base';
import { flow, type MarkEvent, type ScreenPlace, type SessionEvent, type Size } from '#model';
import type { Note, OutputChunk, Pty, ReadTime, Step } from '#pty';
import type { Ledger } from '#shell';
import { maxWork, type Terminal } from '#vt';
import type { Replies } from '../input/replies.ts';
import type { SessionView } from '../session-view.ts';
import type { OutputTurns } from './output-turns.ts';

/** How long a frame (mode 2026) may stay hidden, in ms; the same as in ghostty. */
const maxFrameMs = 1_000;
const { turnMs } = flow.session;

export interface SessionOutputParts {
  /** Returns the name of the session. */
  readonly name: () => string;
  readonly pty: Pty;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly time: StepTime;
  readonly turns: OutputTurns;
  readonly replies: Replies;
  readonly view: SessionView;
  readonly ledger: Ledger;
  readonly events: Emitter<SessionEvent>;
  /** Whether another program writes the output: what is typed there is not known. */
  readonly isFed: boolean;
  /** Called after each change of the state, except during a replay. */
  readonly onChange: () => void;
  /** Called with defects of the terminal. */
  readonly onFault: (error: unknown) => void;
}

/**
 * Applies the output of a program and the steps between it to the terminal: feeds it, sends its replies
 * to the program and publishes the events, in this order. Shows a frame that stays open for too long.
 */
export class SessionOutput {
  readonly #parts: SessionOutputParts;
  #isReplaying = false;
  /** What a replayed note says about the next resize. */
  #notedErasure: ScreenPlace | undefined;
  #frameTimer: Disposable | null = null;
  /** When the open frame began, by the monotonic clock; null without one. */
  frameBeganMs: number | null = null;

  constructor(parts: SessionOutputParts) {
    this.#parts = parts;
    parts.terminal.onPositionedEvent((event) => this.#keepLedger({ ...event, ...this.stamp() }));
  }

  /** Applies the output from an offset on. Must be called once. */
  read(from: number): void {
    this.#parts.pty.onStep((step) => this.#parts.turns.inOrder(() => this.#applyStep(step)));
    this.#parts.pty.readOutput(from, (chunk) => this.#apply(chunk), { copies: true });
  }

  /** What is applied from now on was applied before, by another coordinator: it is not published. */
  beginReplay(): void {
    this.#isReplaying = true;
  }

  endReplay(): void {
    this.#isReplaying = false;
    this.#updateFrameTimer();
    this.changed();
  }

  /** Tells observers that the state has changed; not during a replay, which repeats what they know. */
  changed(): void {
    if (!this.#isReplaying) this.#parts.onChange();
  }

  /** Shows an open frame as far as it is drawn. Observers get an output event without bytes. */
  endFrame(): void {
    if (!this.#parts.terminal.frameOpen) return;
    this.#stopFrameTimer();
    this.#parts.terminal.endFrame();
    this.#publishOutput(this.#parts.view.outputEnd, new Uint8Array(0));
  }

  /** The revision and time of an event of the present step. */
  stamp(): { revision: number; atMs: number } {
    return { revision: this.#parts.terminal.revision, atMs: this.#parts.time.wallMs() };
  }

  /** Called at the event's position, so that the ledger is as new as any published event. */
  #keepLedger(event: SessionEvent): void {
    const { ledger, onFault } = this.#parts;
    try {
      if (event.type === 'mark') this.#keepMark(event);
      else if (event.type === 'cwd') ledger.cwd(event);
    } catch (error) {
      onFault(error);
    }
  }

  #keepMark(event: MarkEvent): void {
    const { ledger, replies, terminal } = this.#parts;
    const hadCommand = ledger.running !== null;
    ledger.mark(event);
    if (!hadCommand || ledger.running !== null) return;
    // What the command asked in the output that is being applied.
    terminal.takeReplies();
    replies.askerEnded();
  }

  /**
   * Publishes several events if frames begin or end in the chunk, so that no event has half a
   * frame.
   */
  #apply(chunk: OutputChunk): void {
    const count = this.#parts.turns.isBusy ? 0 : this.#applyPart(chunk);
    if (count < chunk.bytes.length) this.#applyLater(chunk, count);
  }

  /** Applies the rest of a chunk in later turns: on a large screen, or with many frames, it can take seconds. */
  #applyLater(chunk: OutputChunk, from: number): void {
    // The bytes of the chunk are valid during the call only.
    let { offset, bytes } = { offset: chunk.offset + from, bytes: chunk.bytes.slice(from) };
    this.#parts.turns.add(() => {
      const count = this.#applyPart({ ...chunk, offset, bytes });
      offset += count;
      bytes = bytes.subarray(count);
      return bytes.length === 0;
    });
  }

  /** Applies output, at most some milliseconds of it. Returns the number of bytes. */
  #applyPart(chunk: OutputChunk): number {
    beginWork('output', this.#parts.name());
    try {
      const count = this.#parts.time.during(chunk.readAt, () => this.#applyOutput(chunk));
      this.changed();
      return count;
    } finally {
      endWork();
    }
  }

  #applyOutput({ offset, bytes }: OutputChunk): number {
    const endMs = this.#parts.clock.nowMs() + turnMs;
    let at = 0;
    for (let work = 0; at < bytes.length && work < maxWork; work += this.#parts.terminal.work) {
      if (at > 0 && this.#parts.clock.nowMs() >= endMs) break;
      const count = this.#feed(at === 0 ? bytes : bytes.subarray(at), offset + at);
      this.#parts.view.outputEnd = offset + at + count;
      this.#parts.view.noteOutput(this.#parts.time);
      this.#parts.replies.send(this.#parts.terminal.takeReplies(), this.#parts.view.outputEnd);
      if (this.#parts.ledger.redrawnFrom !== null) this.#noteEmptyLine();
      this.#publishOutput(offset + at, bytes.subarray(at, at + count));
      this.#updateFrameTimer();
      this.#parts.view.releaseEarlier();
      at += count;
    }
    return at;
  }

  /** The terminal does not throw. If it does, the session continues. */
  #feed(bytes: Uint8Array, offset: number): number {
    let count = bytes.length;
    try {
      count = this.#parts.terminal.feedToFrameBoundary(bytes, offset);
    } catch (error) {
      this.#parts.onFault(error);
    }
    return count;
  }

  #publishOutput(offset: number, bytes: Uint8Array): void {
    this.#parts.view.renew();
    const events = this.#parts.terminal.takeEvents().map((event) => {
      const isOfShell = (event.type === 'mark' && event.mark !== 'user') || event.type === 'cwd';
      const isForged = isOfShell && !this.#parts.ledger.verifies(event);
      const proof = isForged ? { unverified: true as const } : {};
      return { ...event, ...proof, ...this.stamp() };
    });
    this.#publish({ type: 'output', ...this.stamp(), offset, bytes });
    for (const event of events) this.#publish(event);
  }

  #publish(event: SessionEvent): void {
    if (!this.#isReplaying) this.#parts.events.emit(event);
  }

  #applyStep(step: Step): void {
    if (step.type === 'resize') this.#applySize(step.size);
    else if (step.note === 'frame_end') this.endFrame();
    else this.#notedErasure = erasureOf(step.note);
    this.changed();
  }

  #applySize(size: Size): void {
    this.endFrame();
    const { revision } = this.#parts.terminal;
    const noted = this.#notedErasure;
    this.#notedErasure = undefined;
    const erasedFrom = noted ?? (this.#isReplaying ? undefined : this.#promptToErase());
    this.#parts.terminal.resize(size, erasedFrom);
    if (this.#parts.terminal.revision === revision) return;
    if (erasedFrom !== undefined && noted === undefined) {
      this.#parts.pty.note(`erase ${erasedFrom.row} ${erasedFrom.col}`, 'before_step');
    }
    this.#parts.view.outputs.resized(this.#parts.view.outputEnd, size);
    this.#parts.view.renew();
    const erased = erasedFrom === undefined ? {} : { erasedFrom };
    this.#publish({ type: 'resize', ...this.stamp(), size, ...erased });
  }

  #noteEmptyLine(): void {
    const { row, col } = this.#parts.terminal.cursor;
    if (row === 0 || col > 0 || this.#parts.terminal.readRow(row).text() !== '') return;
    // Line editors begin a line where the row above is full.
    if (this.#parts.terminal.readRow(row - 1).text(this.#parts.terminal.size.cols - 1) !== '')
      return;
    this.#parts.ledger.noteEmptyLine(this.#parts.terminal.position);
  }

  /**
   * Returns where the prompt begins that a line editor will draw again: it moves up by the rows that its prompt
   * took before the resize. If the prompt took other ones by then, a part would remain above it, or the editor
   * would erase lines above.
   */
  #promptToErase(): ScreenPlace | undefined {
    const from = this.#parts.ledger.redrawnFrom;
    const { alternateScreen, bracketedPaste } = this.#parts.terminal.viewModes;
    // Only line editors set bracketed paste, and they reset it before a command begins.
    if (from === null || alternateScreen || !bracketedPaste || this.#parts.isFed) return;
    // Some recordings erase by output, which cannot be within a sequence.
    if (this.#parts.terminal.isPending) return;
    // After an Enter, a shell may not be at its prompt any more. Without proof, the next prompt may be another's.
    const isProven = this.#parts.ledger.integration === 'integrated';
    const { lastEnterAt, outputEnd } = this.#parts.view;
    if (lastEnterAt >= (isProven ? outputEnd : from.offset)) return;
    return this.#parts.terminal.placeOf(from.line, from.col) ?? undefined;
  }

  /** Shows a frame that stays open for too long. */
  #updateFrameTimer(): void {
    if (!this.#parts.terminal.frameOpen) this.#stopFrameTimer();
    else {
      this.#parts.view.lastFrameAt = this.#parts.view.outputEnd;
      this.frameBeganMs ??= this.#isReplaying
        ? this.#parts.time.nowMs()
        : this.#parts.clock.nowMs();
      if (!this.#isReplaying) this.#startFrameTimer(this.frameBeganMs);
    }
  }

  #startFrameTimer(beganMs: number): void {
    if (this.#frameTimer !== null) return;
    const leftMs = Math.max(
      0,
      Math.min(maxFrameMs, beganMs + maxFrameMs - this.#parts.clock.nowMs()),
    );
    // No note is within a chunk.
    const end = () => this.#parts.turns.inOrder(() => this.#endFrameInTime());
    this.#frameTimer = this.#parts.clock.schedule(leftMs, end);
  }

  #stopFrameTimer(): void {
    this.#frameTimer?.dispose();
    this.#frameTimer = null;
    this.frameBeganMs = null;
  }

  /** When the frame ends is in no byte, so it is noted among the steps. */
  #endFrameInTime(): void {
    if (this.#parts.terminal.frameOpen) this.#parts.pty.note('frame_end');
    this.endFrame();
    this.changed();
  }
}

function erasureOf(note: Note): ScreenPlace | undefined {
  const [, row, col] = /^erase (\d+) (\d+)$/.exec(note) ?? [];
  return row === undefined ? undefined : { row: Number(row), col: Number(col) };
}

/**
 * The time of the step that a session applies: when its output was read, if the pseudo-terminal
 * reports that, which can be long ago after a restart. Between steps, the present time.
 */
export class StepTime implements Pick<Clock, 'nowMs' | 'wallMs'> {
  readonly #clock: Clock;
  #readAt: ReadTime | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#readAt?.bootMs ?? this.#clock.nowMs();
  }

  wallMs(): number {
    return this.#readAt?.wallMs ?? this.#clock.wallMs();
  }

  /** Calls `apply` with a step that was read at that time. */
  during<T>(readAt: ReadTime | undefined, apply: () => T): T {
    this.#readAt = readAt ?? null;
    try {
      return apply();
    } finally {
      this.#readAt = null;
    }
  }

  /** Returns a time of day as a time of both clocks, in ms since 1970. */
  ofWallMs(wallMs: number): ReadTime {
    return { wallMs, bootMs: this.#clock.nowMs() - Math.max(0, this.#clock.wallMs() - wallMs) };
  }
}
