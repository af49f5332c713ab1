import { Cancellation, type ExitStatus, flow, type Size } from '#model';
import {
  type EventLoop,
  hasLineEnd,
  type LearnedSecrets,
  type Note,
  nodeLoop,
  nothingLearned,
  type OutputChunk,
  type OutputPause,
  type OwnedPty,
  type ReadTime,
  type SavedChange,
  type Step,
  type WriteOptions,
  type WriteReceipt,
} from '#pty';
import type { KeptFrame } from '#pty/hosted';
import { type SavedMemory, SavedSession } from './saved-memory.ts';
import { type KeptStep, type LogPosition, type OutputStep, StepLog } from './step-log.ts';
import type { SharedLimit, Window, WindowMember } from './window.ts';

const {
  fullReadBytes,
  quietMs,
  aloneStepBytes,
  sharedStepBytes,
  maxGatherMs,
  maxSessionBytes,
  maxWideSessionBytes,
  minPauseMs,
} = flow.steps;

/** How a coordinator should handle output. */
export interface OutputKind {
  /** Acknowledgements may be rare. */
  readonly isLazy: boolean;
  /** Others go first. */
  readonly floods: boolean;
}

/** Receives the steps of sessions in order, and notices. */
export interface StepSink {
  output(session: number, step: OutputStep, kind: OutputKind): void;
  step(session: number, step: Exclude<KeptStep, OutputStep>): void;
  paused(session: number, pause: OutputPause): void;
  /** All steps that were kept when the coordinator began to follow were sent. */
  replayed(session: number): void;
  /** Saved segments before a line were dropped. */
  dropped(session: number, line: number): void;
}

export interface KeptSessionParts {
  readonly id: number;
  readonly pty: OwnedPty;
  readonly window: Window;
  readonly limit: SharedLimit;
  readonly memory: SavedMemory;
  /** What is saved from the start. */
  readonly facts: Uint8Array;
  /** Contract: `PtySpawnRequest.secrets`. Default: none. */
  readonly secrets?: readonly string[];
  /** Output that can be fetched, in bytes; absent: the default. */
  readonly logBytes?: number;
  readonly now: () => ReadTime;
  /** Default: that of this process. */
  readonly loop?: EventLoop;
  /** Called when the exit is announced. */
  readonly onExit: () => void;
}

/** A session in the host: its pseudo-terminal, its steps, and what its coordinator saved. */
export class KeptSession implements WindowMember {
  readonly id: number;
  readonly pty: OwnedPty;
  readonly #parts: KeptSessionParts;
  readonly #log: StepLog;
  readonly #saved: SavedSession;
  /** The coordinator; null while there is none. */
  #sink: StepSink | null = null;
  /** Whether the coordinator receives the steps. */
  #isFollowed = false;
  /** Whether steps are kept until a saved state covers them; otherwise until they are handled. */
  #keepsSteps = false;
  /** The requests that the next resize steps answer; 0 for none. */
  #resizes: { request: number }[] = [];
  readonly #writes = new Map<number, { signal: Cancellation; show: () => void }>();
  /** The steps to be sent until the coordinator has what was kept when it began to follow. */
  #toReplay = 0;
  #sentTo = 0;
  #acknowledgedTo = 0;
  #answeredTo = 0;
  /** Contract: `AdoptedPty.lastEnterAt`. */
  #lastEnterAt = 0;
  #isPausedByClient = false;
  #isRead = true;
  #isEnding = false;
  #isPumpPlanned = false;
  #lastOutputMs = 0;
  #isDiscarding = false;
  #onDrained: (() => void)[] = [];
  #learned: LearnedSecrets = nothingLearned;
  #exited: { readonly status: ExitStatus; readonly atMs: number } | null = null;
  /** The program is not read for want of a coordinator that handles or saves output. */
  #stalled: OutputPause | null = null;
  #lastPause: OutputPause | null = null;

  constructor(parts: KeptSessionParts) {
    this.id = parts.id;
    this.pty = parts.pty;
    this.#parts = parts;
    this.#log = new StepLog((change) => parts.limit.add(change));
    this.#saved = new SavedSession(parts.memory, parts.facts, (line) =>
      this.#sink?.dropped(this.id, line),
    );
    parts.pty.onStep((step) => this.#onStep(step));
    parts.pty.readOutput(0, (chunk) => this.#onOutput(chunk));
    parts.pty.onExit((status) => this.#onExit(status));
  }

  get hasExited(): boolean {
    return this.#exited !== null;
  }

  /** Whether the program has not been read for some time for want of a coordinator. */
  get isStalled(): boolean {
    return this.#stall() !== null;
  }

  /** The session, for the next coordinator. */
  describe(): KeptFrame {
    const { pid, program } = this.pty;
    const { logBytes = null, secrets = [] } = this.#parts;
    return {
      pid,
      program,
      logBytes,
      secrets,
      base: this.#log.base,
      outputEnd: this.#log.end,
      answeredTo: this.#answeredTo,
      lastEnterAt: this.#lastEnterAt,
      learned: this.#learned,
      exited: this.#exited,
      paused: this.#stall() ?? this.#lastPause,
      saved: this.#saved,
    };
  }

  /**
   * Belongs to a coordinator from now on, which receives steps after {@link follow}.
   *
   * @param keepsSteps whether steps are kept until a saved state covers them
   */
  attach(sink: StepSink, keepsSteps: boolean): void {
    this.detach();
    this.#sink = sink;
    this.#keepsSteps = keepsSteps;
  }

  /** The coordinator is gone. Its input that is being written is finished. */
  detach(): void {
    this.#sink = null;
    this.#isFollowed = false;
    this.#setPaused(false);
    this.#isEnding = false;
    this.#writes.clear();
    for (const each of this.#resizes) each.request = 0;
    this.#sentTo = this.#log.base.offset;
    this.#acknowledgedTo = this.#sentTo;
    this.#toReplay = 0;
    this.#parts.window.setInFlight(this, 0);
    this.#parts.window.setReplaying(this, false);
    this.#log.rewind();
    void this.pty.continue();
    this.pump();
  }

  /** Sends all steps that are kept, and later ones, to the coordinator. */
  follow(): void {
    this.#isFollowed = true;
    this.#toReplay = this.#log.unsentSteps;
    if (this.#toReplay === 0) this.#sink?.replayed(this.id);
    else this.#parts.window.setReplaying(this, true);
    this.pump();
  }

  save(change: SavedChange): void {
    const { state, ...others } = change;
    const isCovered =
      state !== undefined && state.offset >= this.#log.base.offset && state.offset <= this.#sentTo;
    this.#saved.apply(isCovered ? change : others);
    if (!isCovered) return;
    this.#log.trimTo(state);
    this.pump();
  }

  /** Contract: `Pty.keepLearned`. */
  keepLearned(secrets: LearnedSecrets): void {
    this.#learned = secrets;
  }

  /** Drops all steps, now and later: nobody needs them, and the program may have to write to end. */
  discard(): void {
    this.#isDiscarding = true;
    this.#sink = null;
    this.#setPaused(false);
    this.#drop();
    this.pump();
  }

  /** The program is being ended. Steps that were handled no longer hold it back. */
  ending(): void {
    this.#isEnding = true;
    this.resume();
  }

  /** The coordinator has handled the steps before an offset. */
  acknowledge(offset: number): void {
    if (offset <= this.#acknowledgedTo || offset > this.#sentTo) return;
    this.#acknowledgedTo = offset;
    const { window } = this.#parts;
    window.setInFlight(this, this.#sentTo - offset);
    if (this.#toReplay > 0 || (this.#isPumpPlanned && !window.isAwaited(this))) this.pump();
    else this.#update();
  }

  /** @returns the offset if the step that answers the request waits for `resume`; else null */
  async resize(request: number, size: Size): Promise<number | null> {
    this.#parts.window.noteActivity(this);
    const isAnsweredByStep = !this.#isPausedByClient;
    const entry = { request: isAnsweredByStep ? request : 0 };
    this.#resizes.push(entry);
    try {
      const offset = await this.pty.resize(size);
      return isAnsweredByStep ? null : offset;
    } catch (error) {
      this.#resizes = this.#resizes.filter((each) => each !== entry);
      throw error;
    }
  }

  /** A note that the coordinator made at a position that it has reached. */
  note(note: Note, { offset, steps }: LogPosition): void {
    this.#log.addNote(note, { offset: Math.min(offset, this.#sentTo), steps });
  }

  async write(
    request: number,
    bytes: Uint8Array,
    options: Omit<WriteOptions, 'signal'>,
  ): Promise<WriteReceipt> {
    this.#parts.window.noteActivity(this);
    this.#answeredTo = Math.max(this.#answeredTo, options.answersTo ?? 0);
    if (hasLineEnd(bytes)) this.#lastEnterAt = this.#log.end;
    const signal = new Cancellation();
    let show = () => {};
    const shown = new Promise<void>((resolve) => {
      show = resolve;
    });
    const own = { signal, show };
    this.#writes.set(request, own);
    try {
      return await this.pty.write(bytes, { ...options, signal, shown });
    } finally {
      // Another coordinator's request can have the same number.
      if (this.#writes.get(request) === own) this.#writes.delete(request);
    }
  }

  withdraw(request: number): void {
    this.#writes.get(request)?.signal.abort();
  }

  /** Contract: `WriteOptions.shown`, of the write of a request. */
  shown(request: number): void {
    this.#writes.get(request)?.show();
  }

  pause(): void {
    this.#setPaused(true);
    this.#update();
  }

  resume(): void {
    this.#setPaused(false);
    this.pump();
  }

  /** Resolves when all steps were sent, or nobody follows. */
  drained(): Promise<void> {
    if (this.#follower === null || this.#log.unsent === null) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  /** Sends steps as far as the window is open. */
  pump(): void {
    this.#isPumpPlanned = false;
    while (this.#sendNext());
    this.#update();
    if (this.#follower !== null && this.#log.unsent !== null) return;
    for (const resolve of this.#onDrained) resolve();
    this.#onDrained = [];
  }

  /** Drops all that is kept. The pseudo-terminal must have been ended. */
  dispose(): void {
    this.pty.forget();
    this.#sink = null;
    this.#saved.dispose();
    this.#parts.window.delete(this);
    this.#parts.limit.add(-this.#log.cost);
  }

  #setPaused(isPaused: boolean): void {
    this.#isPausedByClient = isPaused;
    this.#parts.window.setPaused(this, isPaused);
  }

  get #follower(): StepSink | null {
    return this.#isFollowed ? this.#sink : null;
  }

  #sendNext(): boolean {
    const sink = this.#follower;
    const step = this.#log.unsent;
    const { window } = this.#parts;
    if (sink === null || step === null || this.#isPausedByClient) {
      window.leave(this);
      return false;
    }
    if (step.type === 'output') {
      if (!window.isOpenFor(this, step.bytes.length)) return false;
      this.#sentTo = step.offset + step.bytes.length;
      window.setInFlight(this, this.#sentTo - this.#acknowledgedTo);
      const kind = { isLazy: window.isAlone(this), floods: window.floods(this) };
      sink.output(this.id, step, kind);
    } else {
      sink.step(this.id, step);
    }
    this.#log.send();
    this.#toReplay--;
    if (this.#toReplay === 0) {
      window.setReplaying(this, false);
      sink.replayed(this.id);
    }
    return true;
  }

  #drop(): void {
    while (this.#log.unsent !== null) this.#log.send();
    this.#log.trim(this.#log.end);
  }

  /** Reads the program unless its steps are held back. */
  #update(): void {
    this.#trim();
    const isFollowed = this.#follower !== null;
    const isHeldBack = isFollowed && this.#log.unsent !== null && !this.#isPumpPlanned;
    const isStalled = isHeldBack || this.#isFull;
    this.#noteStall(isStalled && !this.#isPausedByClient);
    const isRead = !this.#isPausedByClient && !isStalled;
    if (isRead === this.#isRead) return;
    this.#isRead = isRead;
    if (isRead) this.pty.resume();
    else this.pty.holdBack();
  }

  get #isFull(): boolean {
    const { limit } = this.#parts;
    const isWide = this.#follower !== null && limit.hasRoomForWide;
    return this.#log.cost > (isWide ? maxWideSessionBytes : maxSessionBytes) || limit.isReached;
  }

  /** Drops steps that were handled and need not be kept. */
  #trim(): void {
    // A program that is being ended may have to write. In all other cases the steps are needed, also if
    // no state was saved yet: the coordinator may end before it saves one.
    const isBounded = this.#isFull && this.#isEnding;
    if (!this.#keepsSteps || isBounded) this.#log.trim(this.#acknowledgedTo);
  }

  /** @param isStalled whether the program is not read for want of a coordinator */
  #noteStall(isStalled: boolean): void {
    const pause = this.#stall();
    if (isStalled) {
      const { end, base } = this.#log;
      this.#stalled ??= { sinceMs: this.#parts.now().wallMs, bytes: end - base.offset };
      return;
    }
    this.#stalled = null;
    if (pause === null) return;
    this.#lastPause = pause;
    this.#sink?.paused(this.id, pause);
  }

  #stall(): OutputPause | null {
    const stalled = this.#stalled;
    const isLong = stalled !== null && this.#parts.now().wallMs - stalled.sinceMs >= minPauseMs;
    return isLong ? stalled : null;
  }

  #onOutput(chunk: OutputChunk): void {
    const { window, now } = this.#parts;
    window.noteActivity(this);
    const isAlone = window.isAlone(this);
    this.pty.hasSmallReads = !isAlone;
    const readAt = now();
    const maxStepBytes = isAlone ? aloneStepBytes : sharedStepBytes;
    this.#log.addOutput(chunk, readAt, maxStepBytes);
    if (this.#isDiscarding) {
      this.#drop();
      return;
    }
    // The beginning of an ending resumes output that is held back.
    this.#isRead = true;
    const { length } = chunk.bytes;
    const isSingle = length < fullReadBytes && readAt.bootMs - this.#lastOutputMs > quietMs;
    this.#lastOutputMs = readAt.bootMs;
    const isWhole = !this.#log.hasRoomFor(length, maxStepBytes);
    if (isSingle || isWhole || this.#isFull) this.pump();
    else this.#planPump();
  }

  /**
   * Sends after this turn of the event loop; if the coordinator still handles output, which takes less
   * time in large steps, when it has handled that, or when the step is full.
   */
  #planPump(): void {
    if (this.#isPumpPlanned) return;
    this.#isPumpPlanned = true;
    const pump = () => this.#isPumpPlanned && this.pump();
    const { loop = nodeLoop, window } = this.#parts;
    if (window.isAwaited(this)) loop.after(maxGatherMs, pump);
    else loop.afterTurn(pump);
  }

  #onStep(step: Step): void {
    if (step.type !== 'resize') return;
    const { request } = this.#resizes.shift() ?? { request: 0 };
    this.#log.add({ ...step, request });
    this.pump();
  }

  #onExit(status: ExitStatus): void {
    const atMs = this.pty.exitedAtMs ?? this.#parts.now().wallMs;
    this.#exited = { status, atMs };
    this.#parts.window.noteExit(this);
    this.#log.add({ type: 'exit', offset: this.#log.end, status, atMs });
    this.pump();
    this.#parts.onExit();
  }
}
