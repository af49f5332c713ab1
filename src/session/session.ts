import { type Clock, Emitter } from '#base';
import {
  type Activity,
  type CommandChoice,
  type CommandList,
  type CommandListRequest,
  type CommandRecord,
  checkSignalName,
  checkSize,
  type EndedBy,
  type EndOptions,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LinesRead,
  type ReadLinesRequest,
  type ScreenRequest,
  type ScreenSnapshot,
  type SendOptions,
  type SendTextOptions,
  type SessionEvent,
  type SessionInfo,
  type SessionLifetime,
  type SessionLimits,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import type { OutputChunk, Pty } from '#pty';
import { Ledger } from '#shell';
import type { Terminal } from '#vt';
import { type IsPrompt, readActivity } from './activity.ts';
import { FrameLimit } from './frame-limit.ts';
import { Input } from './input.ts';
import { readLines } from './read-lines.ts';
import { ScreenReader } from './read-screen.ts';
import { Replies } from './replies.ts';
import { SessionView } from './session-view.ts';
import { textBetween } from './text-between.ts';

/** What never changes about a session. */
export interface SessionFacts {
  readonly name: string;
  readonly id: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly createdAtMs: number;
  readonly fedBy?: string;
  readonly lifetime?: SessionLifetime;
  readonly limits?: SessionLimits;
}

export interface SessionParts {
  readonly facts: SessionFacts;
  readonly pty: Pty;
  /** Fresh, of the size of the pty. */
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** What the session's shell proves itself with, where it was made to mark its commands. */
  readonly nonce?: string;
  /** Told what an observer threw before it was dropped, and of defects of the terminal. */
  readonly onFault: (error: unknown) => void;
}

/**
 * One program in its terminal, and the one place where output, input, keys and the screen meet.
 * For each chunk of output, in this order: the terminal is fed, its answers go to the program, the
 * event goes to the observers. Who has seen a revision can read a screen that is at least as new.
 */
export class Session {
  readonly #facts: SessionFacts;
  readonly #pty: Pty;
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  /** What readers and observers see. */
  readonly view: SessionView;
  readonly #screen: ScreenReader;
  readonly #events: Emitter<SessionEvent>;
  readonly #replies: Replies;
  readonly #input: Input;
  readonly #frameLimit: FrameLimit;
  readonly #ledger: Ledger;
  #exitedAtMs: number | null = null;
  #endedBy: EndedBy | null = null;

  constructor(parts: SessionParts) {
    this.#facts = parts.facts;
    this.#pty = parts.pty;
    this.#terminal = parts.terminal;
    this.#clock = parts.clock;
    this.#onFault = parts.onFault;
    this.#screen = new ScreenReader(parts.terminal);
    this.#events = new Emitter(parts.onFault);
    this.#ledger = new Ledger({
      clock: parts.clock,
      textBetween: (from, to) => textBetween(parts.terminal, from, to),
      ...(parts.nonce === undefined ? {} : { nonce: parts.nonce }),
    });
    const { facts, pty, terminal } = parts;
    this.view = new SessionView({
      ...{ id: facts.id, pty, terminal },
      events: this.#events,
      clock: parts.clock,
      commands: this.#ledger,
    });
    this.#replies = new Replies(parts.pty);
    this.#input = new Input(parts.pty, parts.clock, () => {
      this.view.lastInputAt = this.view.outputEnd;
    });
    this.#frameLimit = new FrameLimit(parts.terminal, parts.clock, () => this.#endFrame());
    this.#pty.readOutput(0, (chunk) => this.#apply(chunk));
    this.#pty.onExit((status) => this.#onExit(status));
  }

  get name(): string {
    return this.#facts.name;
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

  /** What the session is doing now. */
  activity(isPrompt: IsPrompt): Promise<Activity> {
    return readActivity(this.#pty, this.view, isPrompt);
  }

  info(): SessionInfo {
    return {
      ...this.#facts,
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
    return this.#screen.read(request);
  }

  /** @throws VtrError INVALID_ARGUMENT */
  readLines(request: ReadLinesRequest): LinesRead {
    return readLines(this.#terminal, request);
  }

  /** Whether the program wants to be told what is a paste. */
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
    // Its own, because the caller's may change while the system is asked.
    const { cols, rows } = checkSize(size);
    await this.#pty.resize({ cols, rows });
    this.#applySize({ cols, rows });
  }

  /** What the program takes together with all that it started. */
  get processes(): Pick<Pty, 'usage' | 'ownBytes' | 'hold' | 'release'> {
    return this.#pty;
  }

  /** The size that its output is made for by now. @throws VtrError SESSION_NOT_RUNNING */
  adoptSize(size: Size): void {
    if (this.exitStatus !== null) throw new VtrError('SESSION_NOT_RUNNING', 'it has ended');
    this.#applySize(size);
  }

  /** @throws VtrError SESSION_READ_ONLY */
  checkTakesInput(): void {
    const { fedBy } = this.#facts;
    if (fedBy === undefined) return;
    throw new VtrError('SESSION_READ_ONLY', `it is fed by ${fedBy} and takes no input; ask there`);
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING, PTY_ERROR */
  async kill(signal: SignalName): Promise<void> {
    return this.#pty.signal(checkSignalName(signal), 'both');
  }

  /**
   * Ends the program with all that it started.
   *
   * @param endedBy what is told of it, where nobody asked for it
   * @throws VtrError PTY_ERROR that names what is left
   */
  end(options: EndOptions, endedBy?: EndedBy): Promise<ExitStatus> {
    if (endedBy !== undefined && this.exitStatus === null) this.#endedBy ??= endedBy;
    return this.#pty.end(options);
  }

  /** In several events where frames begin or end in it, so that none is about the half of one. */
  #apply({ offset, bytes }: OutputChunk): void {
    for (let at = 0; at < bytes.length; ) {
      const count = this.#feed(at === 0 ? bytes : bytes.subarray(at), offset + at);
      this.view.outputEnd = offset + at + count;
      this.#replies.send(this.#terminal.takeReplies());
      this.#publishOutput(offset + at, bytes.subarray(at, at + count));
      this.#frameLimit.check();
      at += count;
    }
  }

  /** The terminal does not throw; should it, the session must not be deaf from then on. */
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
    // First of all, so that the ledger too is as new as any event that somebody has heard.
    for (const event of events) this.#keepLedger(event);
    this.#publish({ type: 'output', ...this.#stamp(), offset, bytes });
    for (const event of events) this.#publish(event);
  }

  #keepLedger(event: SessionEvent): void {
    if (event.type === 'mark') this.#ledger.mark(event);
    else if (event.type === 'cwd') this.#ledger.cwd(event);
  }

  /** What is drawn of a frame is shown: to observers, output that adds no bytes. */
  #endFrame(): void {
    if (!this.#terminal.frameOpen) return;
    this.#frameLimit.dispose();
    this.#terminal.endFrame();
    this.#publishOutput(this.view.outputEnd, new Uint8Array(0));
  }

  #applySize(size: Size): void {
    this.#endFrame();
    const { revision } = this;
    this.#terminal.resize(size);
    if (this.revision === revision) return;
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
