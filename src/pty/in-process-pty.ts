import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Disposable, defined, toDisposable } from '#base';
import {
  checkSize,
  type EndOptions,
  type ExitStatus,
  type InputReceipt,
  isVtrError,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import { InputQueue } from './io/input-queue.ts';
import type { LogBudget } from './io/output-log.ts';
import { ProgramOutput } from './io/program-output.ts';
import { PtyDevice } from './io/pty-device.ts';
import { sharedReadBytes } from './io/read-scheduler.ts';
import { ReplyRoom } from './io/reply-room.ts';
import { WritesById } from './io/writes-by-id.ts';
import {
  type Foreground,
  noForeground,
  type OutputChunk,
  type Pty,
  type SignalTarget,
  type TerminalModes,
  type TreeUsage,
  type WriteOptions,
  type WriteReceipt,
} from './port.ts';
import { Ending, type Leader } from './processes/ending.ts';
import type { ProcessEntry } from './processes/process-table.ts';
import type { SessionProcesses } from './processes/session-processes.ts';
import { SuspendedProcesses } from './processes/suspended-processes.ts';
import { ProgramPty } from './program-pty.ts';
import type { PtyBinding, StartedProgram } from './start/pty-binding.ts';

/**
 * The most output that is read after the program's exit, in bytes. The program itself leaves no
 * more than the kernel's buffer (some 20 KB), but a background job that ignores HUP may write
 * forever.
 */
const maxDrainBytes = 1024 * 1024;

/** How often the foreground is read while it or the modes of the terminal change. */
const maxLooks = 3;

export interface InProcessPtyParts {
  readonly binding: PtyBinding;
  readonly started: StartedProgram;
  readonly program: string;
  readonly logBytes: number;
  /** For the output of all programs; null: no limit. */
  readonly logBudget: LogBudget | null;
  readonly processes: SessionProcesses;
  /** For modes that the binding cannot read; returns null if they cannot be read at all. */
  readonly readModes: () => Promise<TerminalModes | null>;
  readonly onListenerError: (error: unknown) => void;
  /** Called when no process of the session is left. */
  readonly onEnded: () => void;
}

/** A `Pty` whose file descriptors belong to this process. */
export class InProcessPty extends ProgramPty implements Pty {
  readonly pid: number;
  readonly program: string;
  readonly isSaved = false;
  readonly isLost = false;
  readonly pausedByHost = null;
  /** Contract: `OwnedPty.hasSmallReads`. */
  hasSmallReads = false;
  readonly #device: PtyDevice;
  readonly #input: InputQueue;
  readonly #writes = new WritesById();
  readonly #replies = new ReplyRoom();
  readonly #processes: SessionProcesses;
  readonly #readModes: () => Promise<TerminalModes | null>;
  readonly #onEnded: () => void;
  readonly #leader: Leader;
  readonly #suspended: SuspendedProcesses;
  /** The session's processes in the last listing. */
  #listed: readonly ProcessEntry[] = [];
  /** As the kernel reported it, before it is announced. */
  #status: ExitStatus | null = null;
  #givenUp = false;
  /** The modes as last read, and the trace of the foreground group before. */
  #lastModes: { readonly trace: string; readonly modes: TerminalModes | null } | null = null;
  #reportExited = (): void => {};
  #ending: { readonly steps: Ending; readonly done: Promise<ExitStatus> } | null = null;

  /**
   * @throws ErrnoException; the descriptors are then closed, and the caller must end the program.
   */
  constructor(parts: InProcessPtyParts) {
    const { logBytes, logBudget, onListenerError } = parts;
    super(new ProgramOutput(logBytes, onListenerError, undefined, logBudget));
    this.pid = parts.started.pid;
    this.program = parts.program;
    this.#processes = parts.processes;
    this.#readModes = parts.readModes;
    this.#onEnded = parts.onEnded;
    this.#leader = {
      pid: this.pid,
      hasExited: () => this.#status !== null,
      exited: new Promise<void>((resolve) => {
        this.#reportExited = resolve;
      }),
    };
    this.#device = new PtyDevice(parts.binding, parts.started, {
      room: (maxBytes) => this.output.room(this.hasSmallReads ? sharedReadBytes : maxBytes),
      onRead: (count) => this.output.deliver(count),
    });
    this.#suspended = new SuspendedProcesses(parts.processes);
    this.#input = new InputQueue({
      write: (bytes) => this.#passInput(bytes),
      isCanonical: async () => (await this.#modesNow())?.canonical ?? false,
      unread: () => this.#device.unread(),
      work: () => this.#processes.foregroundWork(),
    });
    this.#device.resume();
  }

  async keptOutput(from: number): Promise<readonly OutputChunk[]> {
    return this.output.chunksFrom(from);
  }

  /** Nobody replays the steps of this process. */
  note(): void {
    this.output.countNote();
  }

  write(bytes: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    if (options.answersTo !== undefined) return this.#writeReply(bytes, options);
    return this.#writes.once(options, (signal) =>
      this.#writeInput(bytes, { ...options, ...defined({ signal }) }),
    );
  }

  async #writeInput(bytes: Uint8Array, options: WriteOptions): Promise<WriteReceipt> {
    this.#device.typed();
    const before = this.#device.modes();
    const receipt = await this.#input.write(bytes, options);
    const after = before && this.#device.modes();
    const result = before && after ? { ...receipt, modes: { before, after } } : receipt;
    options.onReceipt?.(result);
    return result;
  }

  async #writeReply(bytes: Uint8Array, options: WriteOptions): Promise<InputReceipt> {
    const { length } = bytes;
    if (!this.#replies.take(length, this.#device.unread())) {
      throw new VtrError('INPUT_BACKLOG', 'the program does not read the replies to its queries');
    }
    let isPassed = false;
    try {
      const { reader } = options;
      const isWanted = reader === undefined ? null : () => this.#isRead(reader);
      const receipt = await this.#input.write(bytes, options, isWanted);
      isPassed = true;
      return receipt;
    } finally {
      this.#replies.written(length, isPassed);
    }
  }

  /** Contract: `WriteOptions.reader`. */
  async #isRead(pid: number): Promise<boolean> {
    if (this.#device.modes()?.canonical) return false;
    return this.#processes.isInForeground(pid);
  }

  /** The program ends with this process. */
  save(): void {}

  keepLearned(): void {}

  onSavedDropped(): Disposable {
    return toDisposable(() => {});
  }

  async resize(size: Size): Promise<number> {
    const { cols, rows } = checkSize(size);
    this.#checkRunning();
    try {
      this.#device.resize({ cols, rows });
    } catch (error) {
      throw ptyError('could not resize the pseudo-terminal', error);
    }
    const offset = this.outputEnd;
    this.output.addStep({ type: 'resize', offset, size: { cols, rows } });
    return offset;
  }

  async signal(signal: SignalName, target: SignalTarget): Promise<void> {
    this.#checkRunning();
    await this.#suspended.continue();
    if (!(await this.#signalGroup(`SIG${signal}`, target))) throw notRunning();
  }

  async foreground(
    listed?: readonly ProcessEntry[],
    withDirectory = false,
    withTrace = false,
  ): Promise<Foreground> {
    const read = () => this.#processes.foreground(listed, withTrace);
    const { foreground, modes } = await this.#withModes(read);
    const pid = foreground.program?.pid ?? this.pid;
    const place = withDirectory ? { directory: await this.directory(pid) } : {};
    // What a program has printed before it reads must be known when it is known to read.
    if (foreground.readsTerminal || foreground.alsoWaits) await this.#pendingOutput();
    if (!this.#isRunning) return noForeground;
    return { ...foreground, ...place, ...defined({ modes }) };
  }

  async foregroundProgram(): Promise<Foreground> {
    const read = () => this.#withModes(() => this.#processes.foregroundProgram());
    let last = await read();
    // On a busy machine, the program may leave while what it has printed is read.
    for (let look = 1; look < maxLooks; look++) {
      await this.#pendingOutput();
      const before = last;
      last = await read();
      if (isDeepStrictEqual(before, last)) break;
    }
    if (!this.#isRunning) return noForeground;
    const { foreground, modes } = last;
    return { ...foreground, ...defined({ modes }) };
  }

  /**
   * Returns the foreground with the modes that it has set: read again if they change meanwhile, as when a shell takes
   * the terminal back.
   */
  async #withModes(
    read: () => Promise<Foreground>,
  ): Promise<{ foreground: Foreground; modes: TerminalModes | null }> {
    for (let look = 1; ; look++) {
      const before = this.#isRunning ? this.#device.modes() : null;
      const foreground = this.#isRunning ? await this.#foreground(read) : noForeground;
      const modes = this.#isRunning ? this.#device.modes() : null;
      const isSame = before?.echo === modes?.echo && before?.canonical === modes?.canonical;
      if (isSame || look === maxLooks) return { foreground, modes };
    }
  }

  /** Resolves when the output has been read that the system has: the second turn begins after a poll. */
  async #pendingOutput(): Promise<void> {
    this.#device.poll();
    await nextTurn();
    await nextTurn();
  }

  /** @throws VtrError PTY_ERROR, for example for want of a descriptor */
  async #foreground(read: () => Promise<Foreground>): Promise<Foreground> {
    try {
      return await read();
    } catch (error) {
      throw ptyError('could not read which program reads the terminal', error);
    }
  }

  async directory(pid: number): Promise<string | null> {
    return this.#processes.directory(pid);
  }

  async modes(listed?: readonly ProcessEntry[]): Promise<TerminalModes | null> {
    if (!this.#isRunning) return null;
    const read = this.#device.modes();
    if (read !== null) return read;
    if (listed === undefined || listed.length === 0) return this.#modesNow();
    // Before the modes, so that they are not older.
    const trace = await this.#processes.foregroundTrace(listed);
    if (trace !== null && trace === this.#lastModes?.trace) return this.#lastModes.modes;
    const modes = await this.#modesNow();
    this.#lastModes = trace === null ? null : { trace, modes };
    return modes;
  }

  async #modesNow(): Promise<TerminalModes | null> {
    if (!this.#isRunning) return null;
    const modes = this.#device.modes() ?? (await this.#readModes());
    // If the program has ended meanwhile, the path may belong to another terminal by now.
    return this.#isRunning ? modes : null;
  }

  forget(): void {
    this.output.forget();
  }

  pause(): void {
    this.output.pause();
    this.#device.pause();
  }

  /** Contract: `OwnedPty.holdBack`. */
  holdBack(): void {
    this.#device.pause();
  }

  resume(): void {
    if (this.output.resume()) this.#device.resume();
  }

  async usage(): Promise<TreeUsage> {
    this.#listed = await this.#processes.glance();
    const sum = (of: (entry: ProcessEntry) => number) =>
      this.#listed.reduce((total, each) => total + of(each), 0);
    return {
      count: this.#listed.length,
      residentBytes: sum((each) => each.residentBytes),
      cpuMs: sum((each) => each.cpuMs),
    };
  }

  pssBytes(): Promise<number | null> {
    return this.#processes.pssBytes();
  }

  suspend(): Promise<void> {
    return this.#suspended.suspend(this.#listed);
  }

  continue(): Promise<void> {
    return this.#suspended.continue();
  }

  end(options: EndOptions = {}): Promise<ExitStatus> {
    this.#ending ??= this.#startEnding();
    if (options.force) this.#ending.steps.force();
    return this.#ending.done;
  }

  /** Must be called when the leader has been reaped. */
  handleExit(status: ExitStatus): void {
    this.#processes.leaderGone();
    this.#status = status;
    this.#input.close();
    this.#device.pause();
    this.#drain();
    this.#device.close();
    this.#reportExited();
    this.output.finish(status);
  }

  /**
   * Input may make the terminal send signals, and the SIGCONT of `continue` would undo a ctrl+z
   * sent during a suspension. So the processes continue first, and the queue tries again.
   */
  #passInput(bytes: Uint8Array): number {
    if (!this.#suspended.active) return this.#device.write(bytes);
    void this.#suspended.continue();
    return 0;
  }

  /** Reads even while output is paused: undelivered output stays in the log. */
  #drain(): void {
    for (let left = maxDrainBytes; left > 0; ) {
      const count = this.#device.read(this.output.room());
      if (count === 0) return;
      this.output.deliver(count);
      left -= count;
    }
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
      throw ptyError(`could not send ${signal}`, error);
    }
  }

  #startEnding() {
    const steps = new Ending(this.#processes, this.#leader);
    // Runs in a microtask, after the caller has set `#ending` and possibly forced it.
    const done = Promise.resolve().then(() => this.#runEnding(steps));
    return { steps, done };
  }

  async #runEnding(steps: Ending): Promise<ExitStatus> {
    this.resume();
    await this.#suspended.close();
    try {
      await steps.run();
    } catch (error) {
      this.#giveUp();
      throw isVtrError(error) ? error : ptyError('could not end the session', error);
    }
    this.#onEnded();
    return this.exit;
  }

  /**
   * Closing the master hangs up the terminal: the last thing that can be done to the processes
   * left.
   */
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
