import { type Clock, type Disposable, Emitter, type Listener } from '#base';
import {
  checkSignalName,
  checkSize,
  type ExitStatus,
  type InputReceipt,
  type KeyPress,
  type LineFinder,
  type LineScan,
  type LinesRead,
  type ReadLinesRequest,
  type ScreenRequest,
  type ScreenSnapshot,
  type SendOptions,
  type SendTextOptions,
  type SessionEvent,
  type SessionInfo,
  type SignalName,
  type Size,
  type SnapshotEvent,
} from '#model';
import type { OutputChunk, Pty } from '#pty';
import type { PrintedText, Terminal } from '#vt';
import { FrameLimit } from './frame-limit.ts';
import { inSession } from './in-session.ts';
import { Input } from './input.ts';
import { Observation } from './observation.ts';
import { readLines } from './read-lines.ts';
import { ScreenReader } from './read-screen.ts';
import { Replies } from './replies.ts';

/** What never changes about a session. */
export interface SessionFacts {
  readonly name: string;
  readonly id: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly createdAtMs: number;
}

export interface SessionParts {
  readonly facts: SessionFacts;
  readonly pty: Pty;
  /** Fresh, of the size of the pty. */
  readonly terminal: Terminal;
  readonly clock: Clock;
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
  readonly #observation: Observation;
  readonly #screen: ScreenReader;
  readonly #events: Emitter<SessionEvent>;
  readonly #replies: Replies;
  readonly #input: Input;
  readonly #frameLimit: FrameLimit;
  /** Absolute offset of the next byte of output. */
  #outputEnd = 0;
  #exitStatus: ExitStatus | null = null;
  #exitedAtMs: number | null = null;

  constructor(parts: SessionParts) {
    this.#facts = parts.facts;
    this.#pty = parts.pty;
    this.#terminal = parts.terminal;
    this.#clock = parts.clock;
    this.#onFault = parts.onFault;
    this.#observation = new Observation(parts.terminal);
    this.#screen = new ScreenReader(parts.terminal);
    this.#events = new Emitter(parts.onFault);
    this.#replies = new Replies(parts.pty);
    this.#input = new Input(parts.pty, parts.clock);
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
    return this.#exitStatus;
  }

  info(): SessionInfo {
    return {
      ...this.#facts,
      program: this.#pty.program,
      pid: this.#pty.pid,
      state: this.#exitStatus === null ? 'running' : 'exited',
      size: this.#terminal.size,
      title: this.#terminal.title,
      revision: this.revision,
      exitedAtMs: this.#exitedAtMs,
      exitStatus: this.#exitStatus,
    };
  }

  /** @throws VtrError INVALID_ARGUMENT */
  screen(request: ScreenRequest = {}): ScreenSnapshot {
    return this.#screen.read(request);
  }

  /** @throws VtrError INVALID_ARGUMENT */
  readLines(request: ReadLinesRequest): Promise<LinesRead> {
    return this.#named(async () => readLines(this.#terminal, request));
  }

  get firstLine(): number {
    return this.#terminal.firstLine;
  }

  get endLine(): number {
    return this.#terminal.endLine;
  }

  /** Lines from `from` up to and without `to`, as far as they are kept. */
  *lineTexts(from: number, to: number): Iterable<{ line: number; text: string }> {
    for (const { line, reader } of this.#terminal.readLines(from, to)) {
      yield { line, text: reader.text() };
    }
  }

  /** Contract: `Searched.scanLines`. */
  scanLines(from: number, to: number, find: LineFinder): LineScan {
    return this.#terminal.scanLines(from, to, find);
  }

  snapshot(): SnapshotEvent {
    const { size, firstLine } = this.#terminal;
    const dump = this.#terminal.dump();
    const offset = this.#outputEnd;
    return { type: 'snapshot', ...this.#stamp(), size, dump, firstLine, offset };
  }

  printedText(): readonly PrintedText[] {
    return this.#observation.printedText();
  }

  fingerprint(): number {
    return this.#observation.fingerprint();
  }

  onEvent(listener: Listener<SessionEvent>): Disposable {
    return this.#events.on(listener);
  }

  /** Contract: `Coordinator.sendText`. */
  sendText(text: string, options: SendTextOptions): Promise<InputReceipt> {
    return this.#named(() => this.#input.sendText(text, this.#terminal.keyModes, options));
  }

  /** Contract: `Coordinator.sendKeys`. */
  sendKeys(keys: readonly (string | KeyPress)[], options: SendOptions): Promise<InputReceipt> {
    return this.#named(() => this.#input.sendKeys(keys, this.#terminal.keyModes, options));
  }

  /** Contract: `Coordinator.sendBytes`. */
  sendBytes(bytes: Uint8Array, options: SendOptions): Promise<InputReceipt> {
    return this.#named(() => this.#input.sendBytes(bytes, options));
  }

  /** @throws VtrError INVALID_SIZE, SESSION_NOT_RUNNING, PTY_ERROR */
  resize(size: Size): Promise<void> {
    return this.#named(async () => {
      // Its own, because the caller's may change while the system is asked.
      const { cols, rows } = checkSize(size);
      await this.#pty.resize({ cols, rows });
      this.#applySize({ cols, rows });
    });
  }

  /** @throws VtrError INVALID_ARGUMENT, SESSION_NOT_RUNNING, PTY_ERROR */
  kill(signal: SignalName): Promise<void> {
    return this.#named(() => this.#pty.signal(checkSignalName(signal), 'both'));
  }

  /** Ends the program with all that it started. @throws VtrError PTY_ERROR that names what is left */
  end(options: { readonly force?: boolean }): Promise<ExitStatus> {
    return this.#named(() => this.#pty.end(options));
  }

  #named<T>(operation: () => Promise<T>): Promise<T> {
    return inSession(this.name, operation);
  }

  /** In several events where frames begin or end in it, so that none is about the half of one. */
  #apply({ offset, bytes }: OutputChunk): void {
    for (let at = 0; at < bytes.length; ) {
      const count = this.#feed(at === 0 ? bytes : bytes.subarray(at), offset + at);
      this.#outputEnd = offset + at + count;
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
      count = this.#terminal.feedToBorder(bytes, offset);
    } catch (error) {
      this.#onFault(error);
    }
    return count;
  }

  #publishOutput(offset: number, bytes: Uint8Array): void {
    this.#observation.renew();
    this.#publish({ type: 'output', ...this.#stamp(), offset, bytes });
    for (const event of this.#terminal.takeEvents()) this.#publish({ ...event, ...this.#stamp() });
  }

  /** What is drawn of a frame is shown: to observers, output that adds no bytes. */
  #endFrame(): void {
    if (!this.#terminal.frameOpen) return;
    this.#frameLimit.dispose();
    this.#terminal.endFrame();
    this.#publishOutput(this.#outputEnd, new Uint8Array(0));
  }

  #applySize(size: Size): void {
    this.#endFrame();
    const { revision } = this;
    this.#terminal.resize(size);
    if (this.revision === revision) return;
    this.#observation.renew();
    this.#publish({ type: 'resize', ...this.#stamp(), size });
  }

  #onExit(status: ExitStatus): void {
    this.#endFrame();
    this.#exitStatus = status;
    this.#exitedAtMs = this.#clock.wallMs();
    this.#publish({ type: 'exit', ...this.#stamp(), status });
  }

  #publish(event: SessionEvent): void {
    this.#events.emit(event);
  }

  #stamp(): { revision: number; atMs: number } {
    return { revision: this.revision, atMs: this.#clock.wallMs() };
  }
}
