import type { CancelSignal, Size } from '#model';
import type { Note, OutputChunk, Pty, Step } from '#pty';
import { type KeptStep, type OutputStep, type ReadTime, StepLog } from './step-log.ts';
import type { Window, WindowMember } from './window.ts';

/** A shorter read means that the program has no more output now. */
const fullReadBytes = 2 * 1024;
/** The first output after this time without any is sent at once, in ms. */
const quietMs = 2;
/** How long output waits for more, in ms: larger steps take less time. */
const maxGatherMs = 1;
/** The most steps of one session, in bytes. Beyond it the program is not read. */
const maxSessionBytes = 8 * 1024 * 1024;

/** Receives the steps of sessions in order. */
export interface StepSink {
  output(session: number, step: OutputStep, isLazy: boolean): void;
  step(session: number, step: Exclude<KeptStep, OutputStep>): void;
}

/** The limit of all sessions together. */
export interface SharedLimit {
  readonly isReached: boolean;
  add(bytes: number): void;
}

export interface KeptSessionParts {
  readonly id: number;
  readonly pty: Pty;
  readonly window: Window;
  readonly limit: SharedLimit;
  readonly now: () => ReadTime;
}

/** Input that is being written and can be withdrawn. */
class Withdrawal implements CancelSignal {
  aborted = false;
  readonly #listeners = new Set<() => void>();

  abort(): void {
    this.aborted = true;
    for (const listener of this.#listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** A session in the host: its pseudo-terminal, and the steps that the coordinator has not handled. */
export class KeptSession implements WindowMember {
  readonly id: number;
  readonly pty: Pty;
  readonly #parts: KeptSessionParts;
  readonly #log: StepLog;
  /** Null while no coordinator follows. */
  #sink: StepSink | null = null;
  /** The requests that the next resize steps answer; 0 for none. */
  #resizes: { readonly request: number }[] = [];
  readonly #writes = new Map<number, Withdrawal>();
  #sentTo = 0;
  #acknowledgedTo = 0;
  #isPausedByClient = false;
  #isRead = true;
  #isPumpPlanned = false;
  /** Whether output arrived since the last turn of the event loop. */
  #hasNew = false;
  #lastOutputMs = 0;
  #isDiscarding = false;
  #onDrained: (() => void)[] = [];

  constructor(parts: KeptSessionParts) {
    this.id = parts.id;
    this.pty = parts.pty;
    this.#parts = parts;
    this.#log = new StepLog((change) => parts.limit.add(change));
    parts.pty.onStep((step) => this.#onStep(step));
    parts.pty.readOutput(0, (chunk) => this.#onOutput(chunk));
    parts.pty.onExit((status) => {
      this.#log.add({ type: 'exit', offset: this.#log.end, status, wallMs: parts.now().wallMs });
      this.pump();
    });
  }

  /** Sends all steps that are kept, and later ones, to a coordinator. */
  follow(sink: StepSink): void {
    this.#sink = sink;
    this.#isPausedByClient = false;
    this.#sentTo = this.#acknowledgedTo;
    this.#parts.window.setInFlight(this, 0);
    this.#log.rewind();
    this.pump();
  }

  /** Drops all steps, now and later: nobody needs them, and the program may have to write to end. */
  discard(): void {
    this.#isDiscarding = true;
    this.#sink = null;
    this.#isPausedByClient = false;
    this.#drop();
    this.pump();
  }

  /** The coordinator has handled the steps before an offset. */
  acknowledge(offset: number): void {
    if (offset <= this.#acknowledgedTo || offset > this.#sentTo) return;
    this.#acknowledgedTo = offset;
    this.#log.trim(offset);
    this.#parts.window.setInFlight(this, this.#sentTo - offset);
    this.#update();
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

  note(note: Note, offset: number): void {
    this.#log.addNote(note, Math.min(offset, this.#sentTo));
  }

  async write(request: number, bytes: Uint8Array, pausesAt: readonly number[]) {
    this.#parts.window.noteActivity(this);
    const signal = new Withdrawal();
    this.#writes.set(request, signal);
    try {
      return await this.pty.write(bytes, { signal, pausesAt });
    } finally {
      this.#writes.delete(request);
    }
  }

  withdraw(request: number): void {
    this.#writes.get(request)?.abort();
  }

  pause(): void {
    this.#isPausedByClient = true;
    this.#update();
  }

  resume(): void {
    this.#isPausedByClient = false;
    this.pump();
  }

  /** Resolves when all steps were sent, or nobody follows. */
  drained(): Promise<void> {
    if (this.#sink === null || this.#log.unsent === null) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  /** Sends steps as far as the window is open. */
  pump(): void {
    this.#isPumpPlanned = false;
    while (this.#sendNext());
    this.#update();
    if (this.#sink !== null && this.#log.unsent !== null) return;
    for (const resolve of this.#onDrained) resolve();
    this.#onDrained = [];
  }

  /** Drops the steps. The pseudo-terminal must have been ended. */
  dispose(): void {
    this.#sink = null;
    this.#parts.window.delete(this);
    this.#parts.limit.add(-this.#log.cost);
  }

  #sendNext(): boolean {
    const sink = this.#sink;
    const step = this.#log.unsent;
    if (sink === null || step === null || this.#isPausedByClient) return false;
    const { window } = this.#parts;
    if (step.type === 'output') {
      if (!window.isOpenFor(this, step.bytes.length)) return false;
      this.#sentTo = step.offset + step.bytes.length;
      window.setInFlight(this, this.#sentTo - this.#acknowledgedTo);
      sink.output(this.id, step, window.isAlone(this));
    } else {
      sink.step(this.id, step);
    }
    this.#log.send();
    return true;
  }

  #drop(): void {
    while (this.#log.unsent !== null) this.#log.send();
    this.#log.trim(this.#log.end);
  }

  /** Reads the program unless its steps are held back. */
  #update(): void {
    const isHeldBack = this.#sink !== null && this.#log.unsent !== null && !this.#isPumpPlanned;
    const isFull = this.#log.cost > maxSessionBytes || this.#parts.limit.isReached;
    const isRead = !this.#isPausedByClient && !isHeldBack && !isFull;
    if (isRead === this.#isRead) return;
    this.#isRead = isRead;
    if (isRead) this.pty.resume();
    else this.pty.pause();
  }

  #onOutput(chunk: OutputChunk): void {
    this.#parts.window.noteActivity(this);
    this.#log.addOutput(chunk, this.#parts.now);
    if (this.#isDiscarding) {
      this.#drop();
      return;
    }
    this.#hasNew = true;
    // The beginning of an ending resumes output that is held back.
    this.#isRead = true;
    const { bootMs } = this.#parts.now();
    const isSingle = chunk.bytes.length < fullReadBytes && bootMs - this.#lastOutputMs > quietMs;
    this.#lastOutputMs = bootMs;
    if (isSingle || this.#log.cost > maxSessionBytes) this.pump();
    else this.#planPump();
  }

  /** Sends after this turn of the event loop, or after the first one without more output. */
  #planPump(): void {
    if (this.#isPumpPlanned) return;
    this.#isPumpPlanned = true;
    setImmediate(() => {
      if (!this.#isPumpPlanned) return;
      if (!this.#hasNew || !this.#log.isGathering(this.#parts.now().bootMs - maxGatherMs)) {
        this.pump();
        return;
      }
      this.#hasNew = false;
      this.#isPumpPlanned = false;
      this.#planPump();
    });
  }

  #onStep(step: Step): void {
    if (step.type !== 'resize') return;
    const { request } = this.#resizes.shift() ?? { request: 0 };
    this.#log.add({ ...step, request });
    this.pump();
  }
}
