import type { Clock, Disposable, Emitter } from '#base';
import type { SessionEvent, Size } from '#model';
import type { OutputChunk, Pty, Step } from '#pty';
import type { Ledger } from '#shell';
import { maxWork, type Terminal } from '#vt';
import type { Replies } from '../input/replies.ts';
import type { SessionView } from '../session-view.ts';
import type { OutputTurns } from './output-turns.ts';
import type { StepTime } from './step-time.ts';

/** How long a frame (mode 2026) may stay hidden, in ms; the same as in ghostty. */
const maxFrameMs = 1_000;
/** After this time, in ms, the rest of a chunk is left for later turns: its observers work, too. */
const turnMs = 5;

export interface SessionOutputParts {
  readonly pty: Pty;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly time: StepTime;
  readonly turns: OutputTurns;
  readonly replies: Replies;
  readonly view: SessionView;
  readonly ledger: Pick<Ledger, 'verifies'>;
  readonly events: Emitter<SessionEvent>;
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
  readonly #pty: Pty;
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #time: StepTime;
  readonly #turns: OutputTurns;
  readonly #replies: Replies;
  readonly #view: SessionView;
  readonly #ledger: Pick<Ledger, 'verifies'>;
  readonly #events: Emitter<SessionEvent>;
  readonly #onChange: () => void;
  readonly #onFault: (error: unknown) => void;
  #isReplaying = false;
  #frameTimer: Disposable | null = null;
  /** When the open frame began, by the monotonic clock; null without one. */
  frameBeganMs: number | null = null;

  constructor(parts: SessionOutputParts) {
    this.#pty = parts.pty;
    this.#terminal = parts.terminal;
    this.#clock = parts.clock;
    this.#time = parts.time;
    this.#turns = parts.turns;
    this.#replies = parts.replies;
    this.#view = parts.view;
    this.#ledger = parts.ledger;
    this.#events = parts.events;
    this.#onChange = parts.onChange;
    this.#onFault = parts.onFault;
  }

  /** Applies the output from an offset on. Must be called once. */
  read(from: number): void {
    this.#pty.onStep((step) => this.#turns.inOrder(() => this.#applyStep(step)));
    this.#pty.readOutput(from, (chunk) => this.#apply(chunk), { copies: true });
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
    if (!this.#isReplaying) this.#onChange();
  }

  /** Shows an open frame as far as it is drawn. Observers get an output event without bytes. */
  endFrame(): void {
    if (!this.#terminal.frameOpen) return;
    this.#stopFrameTimer();
    this.#terminal.endFrame();
    this.#publishOutput(this.#view.outputEnd, new Uint8Array(0));
  }

  /** The revision and time of an event of the present step. */
  stamp(): { revision: number; atMs: number } {
    return { revision: this.#terminal.revision, atMs: this.#time.wallMs() };
  }

  /**
   * Publishes several events if frames begin or end in the chunk, so that no event has half a
   * frame.
   */
  #apply(chunk: OutputChunk): void {
    const count = this.#turns.isBusy ? 0 : this.#applyPart(chunk);
    if (count < chunk.bytes.length) this.#applyLater(chunk, count);
  }

  /** Applies the rest of a chunk in later turns: on a large screen, or with many frames, it can take seconds. */
  #applyLater(chunk: OutputChunk, from: number): void {
    // The bytes of the chunk are valid during the call only.
    let { offset, bytes } = { offset: chunk.offset + from, bytes: chunk.bytes.slice(from) };
    this.#turns.add(() => {
      const count = this.#applyPart({ ...chunk, offset, bytes });
      offset += count;
      bytes = bytes.subarray(count);
      return bytes.length === 0;
    });
  }

  /** Applies output, at most some milliseconds of it. Returns the number of bytes. */
  #applyPart(chunk: OutputChunk): number {
    const count = this.#time.during(chunk.readAt, () => this.#applyOutput(chunk));
    this.changed();
    return count;
  }

  #applyOutput({ offset, bytes }: OutputChunk): number {
    const endMs = this.#clock.nowMs() + turnMs;
    let at = 0;
    for (let work = 0; at < bytes.length && work < maxWork; work += this.#terminal.work) {
      if (at > 0 && this.#clock.nowMs() >= endMs) break;
      const count = this.#feed(at === 0 ? bytes : bytes.subarray(at), offset + at);
      this.#view.outputEnd = offset + at + count;
      this.#view.noteOutput(this.#time.wallMs());
      this.#replies.send(this.#terminal.takeReplies(), this.#view.outputEnd);
      this.#publishOutput(offset + at, bytes.subarray(at, at + count));
      this.#updateFrameTimer();
      this.#view.releaseEarlier();
      at += count;
    }
    return at;
  }

  /** The terminal does not throw. If it does, the session continues. */
  #feed(bytes: Uint8Array, offset: number): number {
    let count = bytes.length;
    try {
      count = this.#terminal.feedToFrameBoundary(bytes, offset);
    } catch (error) {
      this.#onFault(error);
    }
    return count;
  }

  #publishOutput(offset: number, bytes: Uint8Array): void {
    this.#view.renew();
    const events = this.#terminal.takeEvents().map((event) => {
      const isOfShell = (event.type === 'mark' && event.mark !== 'user') || event.type === 'cwd';
      const isForged = isOfShell && !this.#ledger.verifies(event);
      const proof = isForged ? { unverified: true as const } : {};
      return { ...event, ...proof, ...this.stamp() };
    });
    this.#publish({ type: 'output', ...this.stamp(), offset, bytes });
    for (const event of events) this.#publish(event);
  }

  #publish(event: SessionEvent): void {
    if (!this.#isReplaying) this.#events.emit(event);
  }

  #applyStep(step: Step): void {
    if (step.type === 'resize') this.#applySize(step.size);
    else this.endFrame();
    this.changed();
  }

  #applySize(size: Size): void {
    this.endFrame();
    const { revision } = this.#terminal;
    this.#terminal.resize(size);
    if (this.#terminal.revision === revision) return;
    this.#view.outputs.resized(this.#view.outputEnd, size);
    this.#view.renew();
    this.#publish({ type: 'resize', ...this.stamp(), size });
  }

  /** Shows a frame that stays open for too long. */
  #updateFrameTimer(): void {
    if (!this.#terminal.frameOpen) this.#stopFrameTimer();
    else {
      this.#view.lastFrameAt = this.#view.outputEnd;
      this.frameBeganMs ??= this.#isReplaying ? this.#time.nowMs() : this.#clock.nowMs();
      if (!this.#isReplaying) this.#startFrameTimer(this.frameBeganMs);
    }
  }

  #startFrameTimer(beganMs: number): void {
    if (this.#frameTimer !== null) return;
    const leftMs = Math.max(0, Math.min(maxFrameMs, beganMs + maxFrameMs - this.#clock.nowMs()));
    // No note is within a chunk.
    const end = () => this.#turns.inOrder(() => this.#endFrameInTime());
    this.#frameTimer = this.#clock.schedule(leftMs, end);
  }

  #stopFrameTimer(): void {
    this.#frameTimer?.dispose();
    this.#frameTimer = null;
    this.frameBeganMs = null;
  }

  /** When the frame ends is in no byte, so it is noted among the steps. */
  #endFrameInTime(): void {
    if (this.#terminal.frameOpen) this.#pty.note('frame_end');
    this.endFrame();
    this.changed();
  }
}
