import { type Disposable, toDisposable } from '#base';
import { type ExitStatus, hungUp, type InputReceipt, type Size, VtrError } from '#model';
import { ProgramOutput } from './io/program-output.ts';
import { readScheduler, ScheduledReader } from './io/read-scheduler.ts';
import {
  defaultLogBytes,
  type Foreground,
  noForeground,
  type OutputChunk,
  type Pty,
  type TerminalModes,
  type TreeUsage,
} from './port.ts';
import { ProgramPty } from './program-pty.ts';

export interface FedPtyParts {
  /** The name of the program elsewhere that writes the output. */
  readonly program: string;
  /** The feeder's name, for messages. */
  readonly by: string;
  readonly onListenerError: (error: unknown) => void;
  /**
   * Whether the output was written to a pipe, not to a terminal: it is then converted by {@link
   * Onlcr}.
   */
  readonly fromPipe: boolean;
  /** Output kept for late readers, in bytes; default {@link defaultLogBytes}. */
  readonly logBytes?: number;
}

/**
 * A `Pty` without a program: a feeder writes the output of a program that runs elsewhere. Its
 * output is scheduled like that of a terminal. It has no input, no processes and no modes.
 */
export class FedPty extends ProgramPty implements Pty {
  readonly pid = 0;
  readonly program: string;
  readonly #by: string;
  readonly #onlcr: Onlcr | null;
  readonly isSaved = false;
  readonly isLost = false;
  readonly pausedByHost = null;
  readonly #reader = new ScheduledReader(readScheduler, () => this.#continueFeeding());
  #mayFeed = true;
  #wakeFeeder = (): void => {};
  #status: ExitStatus | null = null;

  constructor({ program, by, fromPipe, onListenerError, ...options }: FedPtyParts) {
    const { logBytes = defaultLogBytes } = options;
    super(new ProgramOutput(logBytes, onListenerError));
    this.#onlcr = fromPipe ? new Onlcr() : null;
    this.program = program;
    this.#by = by;
  }

  /**
   * Adds output. The caller must wait for it before it feeds more. Resolves when all readers have
   * the output, which takes longer while they are paused or other sessions write a lot.
   *
   * @throws VtrError SESSION_NOT_RUNNING
   */
  async feed(fed: Uint8Array): Promise<void> {
    this.#checkRunning();
    const bytes = this.#onlcr?.convert(fed) ?? fed;
    for (let at = 0; at < bytes.length; ) {
      await this.#untilMayFeed();
      this.#checkRunning();
      at += this.#add(bytes.subarray(at));
    }
  }

  /** Sets the exit status, which ends the output. @throws VtrError SESSION_NOT_RUNNING */
  finish(status: ExitStatus): void {
    this.#checkRunning();
    this.#finish(status);
  }

  write(): Promise<InputReceipt> {
    return this.#refuse('is read-only; send input there');
  }

  async keptOutput(from: number): Promise<readonly OutputChunk[]> {
    return this.output.chunksFrom(from);
  }

  /** Nobody replays the steps of this process. */
  note(): void {
    this.output.countNote();
  }

  /** After a restart of the coordinator, the feeder starts another session. */
  save(): void {}

  keepLearned(): void {}

  onSavedDropped(): Disposable {
    return toDisposable(() => {});
  }

  /** Sets the size that the feeder reports. @throws VtrError SESSION_NOT_RUNNING */
  adoptSize(size: Size): void {
    this.#checkRunning();
    this.output.addStep({ type: 'resize', offset: this.outputEnd, size });
  }

  resize(): Promise<number> {
    return this.#refuse('has the size of its source; resize it there');
  }

  signal(): Promise<void> {
    return this.#refuse('has no program here; signal it there');
  }

  async foreground(): Promise<Foreground> {
    return noForeground;
  }

  async foregroundProgram(): Promise<Foreground> {
    return noForeground;
  }

  async directory(): Promise<null> {
    return null;
  }

  async modes(): Promise<TerminalModes | null> {
    return null;
  }

  async usage(): Promise<TreeUsage> {
    return { count: 0, residentBytes: 0, cpuMs: 0 };
  }

  async pssBytes(): Promise<null> {
    return null;
  }

  async suspend(): Promise<void> {}

  async continue(): Promise<void> {}

  /** The garbage collector does it. */
  forget(): void {}

  pause(): void {
    this.output.pause();
  }

  resume(): void {
    if (this.output.resume()) this.#wakeFeeder();
  }

  /** Hangs up. The feeder's next call fails with SESSION_NOT_RUNNING. */
  end(): Promise<ExitStatus> {
    if (this.#status === null) this.#finish(hungUp);
    this.resume();
    return this.exit;
  }

  /** @returns how many bytes there was room for */
  #add(bytes: Uint8Array): number {
    const room = this.output.room(this.#reader.readBytes);
    const part = bytes.subarray(0, room.length);
    this.#mayFeed = this.#reader.take(part.length < bytes.length, () => {
      room.set(part);
      this.output.deliver(part.length);
    });
    return part.length;
  }

  async #untilMayFeed(): Promise<void> {
    while (this.#status === null && (!this.#mayFeed || this.output.paused)) {
      await new Promise<void>((resolve) => {
        this.#wakeFeeder = resolve;
      });
    }
  }

  #continueFeeding(): void {
    this.#mayFeed = true;
    this.#wakeFeeder();
  }

  #finish(status: ExitStatus): void {
    this.#status = status;
    this.#wakeFeeder();
    this.output.finish(status);
  }

  #checkRunning(): void {
    if (this.#status === null) return;
    throw new VtrError('SESSION_NOT_RUNNING', 'it has ended and accepts no more output');
  }

  #refuse(why: string): Promise<never> {
    const message = `it is fed by ${this.#by}, and ${why}`;
    return Promise.reject(new VtrError('SESSION_READ_ONLY', message));
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Converts output that was written to a pipe to output of a terminal: inserts a carriage return
 * before each line feed, as ONLCR does (termios(3)), because a line feed alone moves the cursor
 * down only. A line feed that has a carriage return before it is left alone.
 */
export class Onlcr {
  #last = 0;

  /** @returns `bytes` itself if nothing is inserted */
  convert(bytes: Uint8Array): Uint8Array {
    const count = this.#count(bytes);
    if (count === 0) return bytes;
    const converted = new Uint8Array(bytes.length + count);
    let at = 0;
    let last = this.#last;
    for (const byte of bytes) {
      if (byte === lineFeed && last !== carriageReturn) converted[at++] = carriageReturn;
      converted[at++] = byte;
      last = byte;
    }
    this.#last = last;
    return converted;
  }

  /** Counts the line feeds without a carriage return. If there are none, also updates `#last`. */
  #count(bytes: Uint8Array): number {
    let count = 0;
    let last = this.#last;
    for (const byte of bytes) {
      if (byte === lineFeed && last !== carriageReturn) count++;
      last = byte;
    }
    if (count === 0) this.#last = last;
    return count;
  }
}
