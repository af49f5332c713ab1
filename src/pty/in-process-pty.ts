import { type Disposable, Emitter } from '#base';
import {
  checkSize,
  type ExitStatus,
  type InputReceipt,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import { InputQueue } from './io/input-queue.ts';
import { OutputLog } from './io/output-log.ts';
import { OutputReaders } from './io/output-readers.ts';
import { PtyDevice } from './io/pty-device.ts';
import {
  type EndOptions,
  type Foreground,
  noForeground,
  type OutputChunk,
  type Pty,
  type SignalTarget,
  type TerminalModes,
  type TreeUsage,
  type WriteOptions,
} from './port.ts';
import { Ending, type Leader } from './processes/ending.ts';
import type { ProcessEntry } from './processes/process-table.ts';
import type { SessionProcesses } from './processes/session-processes.ts';
import { HeldProcesses } from './processes/suspended-processes.ts';
import { toExitStatus } from './start/exit-status.ts';
import type { Forked, NativeBinding } from './start/native-binding.ts';

/**
 * Output read after the program's exit, in bytes. The program itself leaves no more than the kernel
 * buffers (some 20 KB), but a background job that ignores HUP may write for ever.
 */
const maxDrainBytes = 1024 * 1024;

export interface InProcessPtyParts {
  readonly native: NativeBinding;
  readonly forked: Forked;
  readonly program: string;
  readonly logBytes: number;
  readonly processes: SessionProcesses;
  /** Null where they cannot be read. */
  readonly readModes: () => Promise<TerminalModes | null>;
  readonly onListenerError: (error: unknown) => void;
  /** Nothing is left of the session. */
  readonly onEnded: () => void;
}

/** A `Pty` whose descriptors are this process's. */
export class InProcessPty implements Pty {
  readonly pid: number;
  readonly program: string;
  readonly exit: Promise<ExitStatus>;
  readonly #log: OutputLog;
  readonly #readers: OutputReaders;
  readonly #device: PtyDevice;
  readonly #input: InputQueue;
  readonly #processes: SessionProcesses;
  readonly #readModes: () => Promise<TerminalModes | null>;
  readonly #onListenerError: (error: unknown) => void;
  readonly #onEnded: () => void;
  readonly #exitListeners: Emitter<ExitStatus>;
  readonly #leader: Leader;
  readonly #held: HeldProcesses;
  /** The session's processes, as they were last seen. */
  #seen: readonly ProcessEntry[] = [];
  /** The kernel's word, before it is announced. */
  #status: ExitStatus | null = null;
  #announced = false;
  #givenUp = false;
  #reportExited = (): void => {};
  #resolveExit: (status: ExitStatus) => void = () => {};
  #ending: { readonly steps: Ending; readonly done: Promise<ExitStatus> } | null = null;

  /** @throws ErrnoException; then the descriptors are closed, and the program is the caller's to end. */
  constructor(parts: InProcessPtyParts) {
    this.pid = parts.forked.pid;
    this.program = parts.program;
    this.#processes = parts.processes;
    this.#readModes = parts.readModes;
    this.#onListenerError = parts.onListenerError;
    this.#onEnded = parts.onEnded;
    this.#log = new OutputLog(parts.logBytes);
    this.#readers = new OutputReaders(this.#log, parts.onListenerError);
    this.#exitListeners = new Emitter(parts.onListenerError);
    this.exit = new Promise((resolve) => {
      this.#resolveExit = resolve;
    });
    this.#leader = {
      pid: this.pid,
      hasExited: () => this.#status !== null,
      exited: new Promise<void>((resolve) => {
        this.#reportExited = resolve;
      }),
    };
    this.#device = new PtyDevice(parts.native, parts.forked, {
      room: () => this.#log.room(),
      onRead: (count) => this.#onRead(count),
    });
    this.#held = new HeldProcesses(parts.processes);
    this.#input = new InputQueue({
      write: (bytes) => this.#passInput(bytes),
      readsByLines: () => this.#device.readsByLines(),
    });
    this.#device.resume();
  }

  get outputStart(): number {
    return this.#log.start;
  }

  get outputEnd(): number {
    return this.#log.end;
  }

  readOutput(from: number, listener: (chunk: OutputChunk) => void): Disposable {
    const reader = this.#readers.add(from, listener);
    this.#announceExit();
    return reader;
  }

  write(bytes: Uint8Array, options: WriteOptions = {}): Promise<InputReceipt> {
    return this.#input.write(bytes, options.signal);
  }

  async resize(size: Size): Promise<void> {
    checkSize(size);
    this.#checkRunning();
    try {
      this.#device.resize(size);
    } catch (error) {
      throw ptyError('resizing the pseudo-terminal failed', error);
    }
  }

  async signal(signal: SignalName, target: SignalTarget): Promise<void> {
    this.#checkRunning();
    await this.#held.release();
    if (!(await this.#signalGroup(`SIG${signal}`, target))) throw notRunning();
  }

  async foreground(): Promise<Foreground> {
    const foreground = this.#isRunning ? await this.#processes.foreground() : noForeground;
    return this.#isRunning ? foreground : noForeground;
  }

  async modes(): Promise<TerminalModes | null> {
    const modes = this.#isRunning ? await this.#readModes() : null;
    // By the time of the answer the terminal's path may be another one's.
    return this.#isRunning ? modes : null;
  }

  pause(): void {
    if (this.#ending !== null) return;
    this.#readers.pause();
    this.#device.pause();
  }

  resume(): void {
    this.#readers.resume();
    this.#log.trim(this.#readers.deliveredTo);
    // A listener may have paused again on the way.
    if (this.#readers.paused) return;
    this.#device.resume();
    this.#announceExit();
  }

  onExit(listener: (status: ExitStatus) => void): Disposable {
    if (!this.#announced) return this.#exitListeners.on(listener);
    const late = new Emitter<ExitStatus>(this.#onListenerError);
    const subscription = late.on(listener);
    void this.exit.then((status) => late.emit(status));
    return subscription;
  }

  async usage(): Promise<TreeUsage> {
    this.#seen = await this.#processes.glance();
    const sum = (of: (entry: ProcessEntry) => number) =>
      this.#seen.reduce((total, each) => total + of(each), 0);
    return {
      count: this.#seen.length,
      residentBytes: sum((each) => each.residentBytes),
      cpuMs: sum((each) => each.cpuMs),
    };
  }

  ownBytes(): Promise<number | null> {
    return this.#processes.ownBytes();
  }

  hold(): Promise<void> {
    return this.#held.hold(this.#seen);
  }

  release(): Promise<void> {
    return this.#held.release();
  }

  end(options: EndOptions = {}): Promise<ExitStatus> {
    this.#ending ??= this.#startEnding();
    this.#ending.steps.hasten(options);
    return this.#ending.done;
  }

  /** To be called when the leader has been reaped. */
  handleExit(code: number, signal: number): void {
    this.#processes.leaderGone();
    this.#status = toExitStatus(code, signal);
    this.#input.close();
    this.#device.pause();
    this.#drain();
    this.#device.close();
    this.#reportExited();
    this.#announceExit();
  }

  #onRead(count: number): void {
    this.#log.commit(count);
    this.#readers.deliver();
    this.#log.trim(this.#readers.deliveredTo);
  }

  /**
   * A key may make the terminal signal programs, and SIGCONT would undo a ctrl+z that came while they
   * are held: they go on first, and the queue asks again.
   */
  #passInput(bytes: Uint8Array): number {
    if (!this.#held.active) return this.#device.write(bytes);
    void this.#held.release();
    return 0;
  }

  /** Also while paused: what nobody has seen yet stays in the log. */
  #drain(): void {
    for (let left = maxDrainBytes; left > 0; ) {
      const count = this.#device.read(this.#log.room());
      if (count === 0) return;
      this.#onRead(count);
      left -= count;
    }
  }

  #announceExit(): void {
    if (this.#announced || this.#status === null || this.#readers.paused) return;
    // From within a listener: whoever delivers to it gets here again.
    if (this.#readers.deliveredTo < this.#log.end) return;
    this.#announced = true;
    this.#exitListeners.emit(this.#status);
    this.#resolveExit(this.#status);
  }

  async #signalGroup(signal: NodeJS.Signals, target: SignalTarget): Promise<boolean> {
    const processes = this.#processes;
    try {
      if (target === 'leader') return await processes.signalLeaderGroup(signal);
      const foreground = await processes.foregroundGroup();
      const isApart = foreground !== null && foreground !== this.pid;
      if (!isApart) return await processes.signalLeaderGroup(signal);
      const signalled = await processes.signalForegroundGroup(signal);
      if (target === 'foreground' && signalled) return true;
      return (await processes.signalLeaderGroup(signal)) || signalled;
    } catch (error) {
      throw ptyError(`the system did not let us send ${signal}`, error);
    }
  }

  #startEnding() {
    const steps = new Ending(this.#processes, this.#leader);
    // A moment later, when the grace is known and `#ending` set.
    const done = Promise.resolve().then(() => this.#runEnding(steps));
    return { steps, done };
  }

  async #runEnding(steps: Ending): Promise<ExitStatus> {
    this.resume();
    await this.#held.close();
    try {
      await steps.run();
    } catch (error) {
      this.#giveUp();
      throw error instanceof VtrError ? error : ptyError('ending the session failed', error);
    }
    this.#onEnded();
    return this.exit;
  }

  /** Closing the master hangs the terminal up, which is all that is left to do. */
  #giveUp(): void {
    this.#ending = null;
    this.#givenUp = true;
    this.#input.close();
    this.#device.close();
  }

  get #isRunning(): boolean {
    return this.#status === null && !this.#givenUp;
  }

  #checkRunning(): void {
    if (!this.#isRunning) throw notRunning();
  }
}

function notRunning(): VtrError {
  return new VtrError('SESSION_NOT_RUNNING', 'the program has ended');
}

function ptyError(what: string, cause: unknown): VtrError {
  return new VtrError('PTY_ERROR', `${what}: ${(cause as Error).message}`, { cause });
}
