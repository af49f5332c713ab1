import { type Clock, type Disposable, Emitter } from '#base';
import {
  type Activity,
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandRecord,
  changedLabels,
  checkSignalName,
  checkSize,
  type EndedBy,
  type EndOptions,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LabelChanges,
  type LinesRead,
  type ReadLinesRequest,
  type ScreenRequest,
  type ScreenSnapshot,
  type SendOptions,
  type SendTextOptions,
  type SessionActivity,
  type SessionEvent,
  type SessionInfo,
  type SessionLabels,
  type SessionLifetime,
  type SessionLimits,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import type { OutputChunk, ProcessEntry, Pty, Step } from '#pty';
import { Ledger, type ShellProof } from '#shell';
import type { Terminal } from '#vt';
import { readActivity } from './activity.ts';
import { Input, Replies } from './input.ts';
import { SessionView } from './session-view.ts';
import { TerminalReader } from './terminal-reader.ts';

/** How long a frame (mode 2026) may stay hidden, in ms; the same as in ghostty. */
const maxFrameMs = 1_000;

/** The properties of a session when it is made. Only its name and its labels change. */
export interface SessionFacts {
  readonly name: string;
  readonly id: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly createdAtMs: number;
  readonly fedBy?: string;
  readonly lifetime?: SessionLifetime;
  readonly limits?: SessionLimits;
  readonly labels?: SessionLabels;
}

export interface SessionParts {
  readonly facts: SessionFacts;
  readonly pty: Pty;
  /** Fresh, of the size of the pty. */
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly shell?: ShellProof;
  /** Called with the error of an observer that threw, and with defects of the terminal. */
  readonly onFault: (error: unknown) => void;
}

/**
 * One program in its terminal. It connects output, input, keys and the screen. For each chunk of
 * output it feeds the terminal, sends the terminal's replies to the program and publishes the
 * event, in this order. An observer that has seen a revision can read a screen that is at least as
 * new.
 */
export class Session {
  readonly #facts: SessionFacts;
  readonly #pty: Pty;
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  /** For readers and observers. */
  readonly view: SessionView;
  readonly #reader: TerminalReader;
  readonly #events: Emitter<SessionEvent>;
  readonly #replies: Replies;
  readonly #input: Input;
  readonly #ledger: Ledger;
  #frameTimer: Disposable | null = null;
  #exitedAtMs: number | null = null;
  #endedBy: EndedBy | null = null;
  #labels: SessionLabels;
  name: string;

  constructor(parts: SessionParts) {
    this.#facts = parts.facts;
    this.name = parts.facts.name;
    this.#labels = parts.facts.labels ?? {};
    this.#pty = parts.pty;
    this.#terminal = parts.terminal;
    this.#clock = parts.clock;
    this.#onFault = parts.onFault;
    this.#reader = new TerminalReader(parts.terminal);
    this.#events = new Emitter(parts.onFault);
    this.#ledger = new Ledger({
      clock: parts.clock,
      textBetween: (from, to) => this.#reader.textBetween(from, to),
      ...parts.shell,
      onBegin: (command) => this.view.outputs.begin(command),
      onEnd: (command) => this.view.outputs.end(command),
    });
    const { facts, pty, terminal } = parts;
    terminal.onPositionedEvent((event) => this.#keepLedger({ ...event, ...this.#stamp() }));
    this.view = new SessionView({
      ...{ id: facts.id, pty, terminal },
      events: this.#events,
      clock: parts.clock,
      commands: this.#ledger,
    });
    this.#replies = new Replies(parts.pty);
    this.#input = new Input(parts.pty, parts.clock, (bytes) => this.view.noteInput(bytes));
    this.#pty.onStep((step) => this.#applyStep(step));
    this.#pty.readOutput(0, (chunk) => this.#apply(chunk));
    this.#pty.onExit((status) => this.#onExit(status));
  }

  get id(): string {
    return this.#facts.id;
  }

  get revision(): number {
    return this.#terminal.revision;
  }

  /** Null while the program runs. */
  get exitStatus(): ExitStatus | null {
    return this.view.exitStatus;
  }

  /** @throws VtrError INVALID_ARGUMENT */
  commands(request: CommandListRequest): CommandList {
    return this.#ledger.list(request);
  }

  /** @throws VtrError COMMAND_NOT_FOUND, INVALID_ARGUMENT */
  command(choice: CommandChoice): CommandRecord {
    return this.#ledger.choose(choice);
  }

  /** Returns the current activity. */
  activity(listed?: readonly ProcessEntry[]): Promise<Activity> {
    const times = { createdAtMs: this.#facts.createdAtMs, exitedAtMs: this.#exitedAtMs };
    return readActivity(this.#pty, this.view, times, listed);
  }

  /**
   * Returns the current activity for a list of sessions.
   *
   * @param listed a recent listing of all processes
   */
  async listedActivity(listed: readonly ProcessEntry[]): Promise<SessionActivity> {
    const activity = await this.activity(listed);
    if (activity.state === 'exited') return { ...activity, command: null, directory: null };
    const command = this.#ledger.running?.line ?? null;
    const pid = activity.evidence.foreground?.pid ?? this.#pty.pid;
    const directory = this.#ledger.directory ?? (await this.#pty.directory(pid));
    return { ...activity, command, directory };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  changeLabels(changes: LabelChanges): void {
    this.#labels = changedLabels(this.#labels, changes);
  }

  info(): SessionInfo {
    const { labels: _first, ...facts } = this.#facts;
    const labels = this.#labels;
    return {
      ...facts,
      name: this.name,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      program: this.#pty.program,
      pid: this.#pty.pid,
      state: this.exitStatus === null ? 'running' : 'exited',
      size: this.#terminal.size,
      title: this.#terminal.title,
      revision: this.revision,
      exitedAtMs: this.#exitedAtMs,
      exitStatus: this.exitStatus,
      ...(this.#endedBy === null ? {} : { endedBy: this.#endedBy }),
    };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  screen(request: ScreenRequest = {}): ScreenSnapshot {
    return this.#reader.screen(request);
  }

  /** @throws VtrError INVALID_ARGUMENT */
  readLines(request: ReadLinesRequest): LinesRead {
    return this.#reader.lines(request);
  }

  /** Whether the program has enabled bracketed paste (mode 2004). */
  get bracketedPaste(): boolean {
    return this.#terminal.keyModes.bracketedPaste;
  }

  /** Contract: `Coordinator.sendText`. */
  sendText(text: string, options: SendTextOptions): Promise<InputReceipt> {
    return this.#input.sendText(text, this.#terminal.keyModes, options);
  }

  /** Contract: `Coordinator.sendKeys`. */
  sendKeys(keys: readonly (string | KeyPress)[], options: SendOptions): Promise<InputReceipt> {
    return this.#input.sendKeys(keys, this.#terminal.keyModes, options);
  }

  /** Contract: `Coordinator.sendBytes`. */
  sendBytes(bytes: Uint8Array, options: SendOptions): Promise<InputReceipt> {
    return this.#input.sendBytes(bytes, options);
  }

  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING, PTY_ERROR */
  async resize(size: Size): Promise<void> {
    // A copy, because the caller may change the object during the call.
    const { cols, rows } = checkSize(size);
    await this.#pty.resize({ cols, rows });
  }

  /** The processes of the program and its descendants. */
  get processes(): Pick<Pty, 'usage' | 'pssBytes' | 'suspend' | 'continue'> {
    return this.#pty;
  }

  /** @throws VtrError SESSION_READ_ONLY */
  checkTakesInput(): void {
    const { fedBy } = this.#facts;
    if (fedBy === undefined) return;
    throw new VtrError(
      'SESSION_READ_ONLY',
      `it is fed by ${fedBy}, and is read-only; send input there`,
    );
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING, PTY_ERROR */
  async kill(signal: SignalName): Promise<void> {
    return this.#pty.signal(checkSignalName(signal), 'both');
  }

  /**
   * Ends the program and its descendants.
   *
   * @param endedBy the reason, if no caller requested it
   * @throws VtrError PTY_ERROR that names the processes that could not be ended
   */
  end(options: EndOptions, endedBy?: EndedBy): Promise<ExitStatus> {
    if (endedBy !== undefined && this.exitStatus === null) this.#endedBy ??= endedBy;
    return this.#pty.end(options);
  }

  /** Releases the output that is kept. Must be called after `end`, when no call follows. */
  forget(): void {
    this.#pty.forget();
  }

  /**
   * Publishes several events if frames begin or end in the chunk, so that no event has half a
   * frame.
   */
  #apply({ offset, bytes }: OutputChunk): void {
    for (let at = 0; at < bytes.length; ) {
      const count = this.#feed(at === 0 ? bytes : bytes.subarray(at), offset + at);
      this.view.outputEnd = offset + at + count;
      this.view.lastOutputAtMs = this.#clock.wallMs();
      this.#replies.send(this.#terminal.takeReplies());
      this.#publishOutput(offset + at, bytes.subarray(at, at + count));
      this.#updateFrameTimer();
      at += count;
    }
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
    this.view.renew();
    const events = this.#terminal.takeEvents().map((event) => ({ ...event, ...this.#stamp() }));
    this.#publish({ type: 'output', ...this.#stamp(), offset, bytes });
    for (const event of events) this.#publish(event);
  }

  /** Called at the event's position, so that the ledger is as new as any published event. */
  #keepLedger(event: SessionEvent): void {
    try {
      if (event.type === 'mark') this.#ledger.mark(event);
      else if (event.type === 'cwd') this.#ledger.cwd(event);
    } catch (error) {
      this.#onFault(error);
    }
  }

  /** Shows a frame that stays open for too long. */
  #updateFrameTimer(): void {
    if (!this.#terminal.frameOpen) this.#stopFrameTimer();
    else this.#frameTimer ??= this.#clock.schedule(maxFrameMs, () => this.#endFrameInTime());
  }

  #stopFrameTimer(): void {
    this.#frameTimer?.dispose();
    this.#frameTimer = null;
  }

  /** When the frame ends is in no byte, so it is noted among the steps. */
  #endFrameInTime(): void {
    if (this.#terminal.frameOpen) this.#pty.note('frame_end');
    this.#endFrame();
  }

  #applyStep(step: Step): void {
    if (step.type === 'resize') this.#applySize(step.size);
    else this.#endFrame();
  }

  /** Shows an open frame as far as it is drawn. Observers get an output event without bytes. */
  #endFrame(): void {
    if (!this.#terminal.frameOpen) return;
    this.#stopFrameTimer();
    this.#terminal.endFrame();
    this.#publishOutput(this.view.outputEnd, new Uint8Array(0));
  }

  #applySize(size: Size): void {
    this.#endFrame();
    const { revision } = this;
    this.#terminal.resize(size);
    if (this.revision === revision) return;
    this.view.outputs.resized(this.view.outputEnd, size);
    this.view.renew();
    this.#publish({ type: 'resize', ...this.#stamp(), size });
  }

  #onExit(status: ExitStatus): void {
    this.#endFrame();
    this.view.exitStatus = status;
    this.#exitedAtMs = this.#clock.wallMs();
    this.#ledger.exit(this.#exitedAtMs, this.#terminal.position, status);
    this.#publish({ type: 'exit', ...this.#stamp(), status });
  }

  #publish(event: SessionEvent): void {
    this.#events.emit(event);
  }

  #stamp(): { revision: number; atMs: number } {
    return { revision: this.revision, atMs: this.#clock.wallMs() };
  }
}
