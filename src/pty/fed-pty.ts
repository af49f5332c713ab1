import { type Disposable, Emitter } from '#base';
import { type ExitStatus, hungUp, type InputReceipt, VtrError } from '#model';
import { LineFeeds } from './io/onlcr.ts';
import { OutputLog } from './io/output-log.ts';
import { OutputReaders } from './io/output-readers.ts';
import { readTurns, TurnReader } from './io/read-scheduler.ts';
import {
  defaultLogBytes,
  type Foreground,
  noForeground,
  type OutputChunk,
  type Pty,
  type TerminalModes,
  type TreeUsage,
} from './port.ts';

export interface FedPtyParts {
  /** What is said to write. */
  readonly program: string;
  /** Who feeds it, for messages. */
  readonly by: string;
  readonly onListenerError: (error: unknown) => void;
  /** What is fed was written into a pipe, and not into a terminal. */
  readonly fromPipe: boolean;
  /** Output kept for late readers, in bytes; {@link defaultLogBytes} when absent. */
  readonly logBytes?: number;
}

/**
 * A `Pty` with no program behind it: somebody feeds it what a program elsewhere writes. It takes its
 * turn among those that flood as a terminal does, and has no input, no processes and no modes.
 */
export class FedPty implements Pty {
  readonly pid = 0;
  readonly program: string;
  readonly exit: Promise<ExitStatus>;
  readonly #by: string;
  readonly #lineFeeds: LineFeeds | null;
  readonly #log: OutputLog;
  readonly #readers: OutputReaders;
  readonly #onListenerError: (error: unknown) => void;
  readonly #exitListeners: Emitter<ExitStatus>;
  readonly #turn = new TurnReader(readTurns, () => this.#goOn());
  #mayFeed = true;
  #goOnFeeding = (): void => {};
  #status: ExitStatus | null = null;
  #announced = false;
  #resolveExit: (status: ExitStatus) => void = () => {};

  constructor({ program, by, fromPipe, onListenerError, ...options }: FedPtyParts) {
    const { logBytes = defaultLogBytes } = options;
    this.#lineFeeds = fromPipe ? new LineFeeds() : null;
    this.program = program;
    this.#by = by;
    this.#onListenerError = onListenerError;
    this.#log = new OutputLog(logBytes);
    this.#readers = new OutputReaders(this.#log, onListenerError);
    this.#exitListeners = new Emitter(onListenerError);
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
  }

  get outputStart(): number {
    return this.#log.start;
  }

  get outputEnd(): number {
    return this.#log.end;
  }

  /**
   * Takes output; the next may only come when it has. Resolves when all readers have it, which takes
   * a while where they are paused or others flood as well.
   *
   * @throws VtrError SESSION_NOT_RUNNING
   */
  async feed(fed: Uint8Array): Promise<void> {
    this.#checkRunning();
    const bytes = this.#lineFeeds?.convert(fed) ?? fed;
    for (let at = 0; at < bytes.length; ) {
      await this.#untilMayFeed();
      this.#checkRunning();
      at += this.#take(bytes.subarray(at));
    }
  }

  /** The exit, when all that was fed has been taken. @throws VtrError SESSION_NOT_RUNNING */
  finish(status: ExitStatus): void {
    this.#checkRunning();
    this.#end(status);
  }

  readOutput(from: number, listener: (chunk: OutputChunk) => void): Disposable {
    const reader = this.#readers.add(from, listener);
    this.#announceExit();
    return reader;
  }

  write(): Promise<InputReceipt> {
    return this.#refuse('takes no input');
  }

  resize(): Promise<void> {
    return this.#refuse('has the size that its output is made for');
  }

  signal(): Promise<void> {
    return this.#refuse('has no program that could be signalled here');
  }

  async foreground(): Promise<Foreground> {
    return noForeground;
  }

  async modes(): Promise<TerminalModes | null> {
    return null;
  }

  async usage(): Promise<TreeUsage> {
    return { count: 0, residentBytes: 0, cpuMs: 0 };
  }

  async ownBytes(): Promise<null> {
    return null;
  }

  async hold(): Promise<void> {}

  async release(): Promise<void> {}

  pause(): void {
    this.#readers.pause();
  }

  resume(): void {
    this.#readers.resume();
    this.#log.trim(this.#readers.deliveredTo);
    // A listener may have paused again on the way.
    if (this.#readers.paused) return;
    this.#goOnFeeding();
    this.#announceExit();
  }

  onExit(listener: (status: ExitStatus) => void): Disposable {
    if (!this.#announced) return this.#exitListeners.on(listener);
    const late = new Emitter<ExitStatus>(this.#onListenerError);
    const subscription = late.on(listener);
    void this.exit.then((status) => late.emit(status));
    return subscription;
  }

  /** Whoever feeds it learns from its next step. */
  end(): Promise<ExitStatus> {
    if (this.#status === null) this.#end(hungUp);
    this.resume();
    return this.exit;
  }

  /** @returns how much of it fits now */
  #take(bytes: Uint8Array): number {
    const room = this.#log.room();
    const part = bytes.subarray(0, room.length);
    this.#mayFeed = this.#turn.take(part.length < bytes.length, () => {
      room.set(part);
      this.#log.commit(part.length);
      this.#readers.deliver();
      this.#log.trim(this.#readers.deliveredTo);
    });
    return part.length;
  }

  async #untilMayFeed(): Promise<void> {
    while (this.#status === null && (!this.#mayFeed || this.#readers.paused)) {
      await new Promise<void>((resolve) => {
        this.#goOnFeeding = resolve;
      });
    }
  }

  #goOn(): void {
    this.#mayFeed = true;
    this.#goOnFeeding();
  }

  #end(status: ExitStatus): void {
    this.#status = status;
    this.#goOnFeeding();
    this.#announceExit();
  }

  #announceExit(): void {
    if (this.#announced || this.#status === null || this.#readers.paused) return;
    // From within a listener: whoever delivers to it gets here again.
    if (this.#readers.deliveredTo < this.#log.end) return;
    this.#announced = true;
    this.#exitListeners.emit(this.#status);
    this.#resolveExit(this.#status);
  }

  #checkRunning(): void {
    if (this.#status === null) return;
    throw new VtrError('SESSION_NOT_RUNNING', 'it has ended and takes no more output');
  }

  #refuse(what: string): Promise<never> {
    const message = `it is fed by ${this.#by} and ${what}; ask there`;
    return Promise.reject(new VtrError('SESSION_READ_ONLY', message));
  }
}
