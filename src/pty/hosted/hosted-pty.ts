import { type Disposable, defined, Emitter } from '#base';
import {
  asVtrError,
  checkSize,
  type EndOptions,
  type ExitStatus,
  hungUp,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import { ProgramOutput } from '../io/program-output.ts';
import {
  type Foreground,
  type LearnedSecrets,
  type Limited,
  type Note,
  noForeground,
  type OutputChunk,
  type OutputPause,
  type Pty,
  type ReadOutputOptions,
  type SavedChange,
  type SignalTarget,
  type TerminalModes,
  type TreeUsage,
  type WriteOptions,
  type WriteReceipt,
} from '../port.ts';
import { endLeft } from '../processes/end-left.ts';
import type { ProcessEntry } from '../processes/process-table.ts';
import { ProgramPty } from '../program-pty.ts';
import {
  decodeData,
  decodeJson,
  encodeFields,
  encodeJson,
  Fields,
  type Frame,
  ignorable,
  lazy,
  ProtocolError,
} from './frames.ts';
import type { HostConnection, SessionFrames } from './host-connection.ts';
import { encodeSavedChange } from './saved-frames.ts';
import { resizedAt, SessionCalls } from './session-calls.ts';
import { UnchangedForeground } from './unchanged-foreground.ts';
import { decodeWriteReceipt, encodeWriteOptions, withdrawn } from './write-options.ts';

/** Output that is also kept in this process, in bytes. */
const mirrorBytes = 256 * 1024;

export interface HostedPtyParts {
  readonly connection: HostConnection;
  /** The session's number in the host. */
  readonly session: number;
  readonly pid: number;
  readonly program: string;
  readonly logBytes: number;
  readonly onListenerError: (error: unknown) => void;
  /** Where a program that was adopted continues; absent for a new one. */
  readonly continues?: {
    readonly offset: number;
    readonly steps: number;
    readonly paused: OutputPause | null;
  };
}

/** Whether the host has a listing that was asked for. */
const isListed = (listed: readonly ProcessEntry[] | undefined): boolean =>
  listed !== undefined && listed.length > 0;

const noUsage: TreeUsage = { count: 0, residentBytes: 0, cpuMs: 0 };

const afterMicrotasks = (): Promise<void> =>
  new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve));
  });

/** A `Pty` whose pseudo-terminal belongs to a host in another process. */
export class HostedPty extends ProgramPty implements Pty, SessionFrames {
  readonly pid: number;
  readonly program: string;
  readonly #connection: HostConnection;
  readonly #session: number;
  readonly #calls: SessionCalls;
  readonly #dropped: Emitter<number>;
  readonly #unchanged: UnchangedForeground;
  /**
   * Frames that wait for `resume`, or for the first readers: each is delivered in one piece. Null
   * while frames are delivered at once.
   */
  #frames: Frame[] | null = [];
  /** Equal modes are one object. */
  #lastModes: TerminalModes | null = null;
  #lastUsage = noUsage;
  #isDelivering = false;
  #isPaused = false;
  #isEnding = false;
  #isForgotten = false;
  #isLost = false;
  /** The ending of what outlived the host. */
  #left: Promise<void> | null = null;
  /** Whether the host sends the steps. */
  #isFollowed: boolean;
  #resolveReplayed: () => void = () => {};
  #paused: OutputPause | null;

  constructor(parts: HostedPtyParts) {
    const { logBytes, onListenerError, continues } = parts;
    super(new ProgramOutput(Math.min(logBytes, mirrorBytes), onListenerError, continues));
    this.pid = parts.pid;
    this.program = parts.program;
    this.#connection = parts.connection;
    this.#session = parts.session;
    this.#calls = new SessionCalls(parts.connection, parts.session);
    this.#dropped = new Emitter(onListenerError);
    this.#unchanged = new UnchangedForeground(parts.pid);
    this.#isFollowed = continues === undefined;
    this.#paused = continues?.paused ?? null;
    // The caller of `spawn` adds its readers before.
    if (this.#isFollowed) setImmediate(() => this.#deliverHeld());
  }

  /** Contract: `AdoptedPty.replayed`. */
  readonly replayed = new Promise<void>((resolve) => {
    this.#resolveReplayed = resolve;
  });

  get isSaved(): boolean {
    return this.#connection.survives;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get pausedByHost(): OutputPause | null {
    return this.#paused;
  }

  override readOutput(
    from: number,
    listener: (chunk: OutputChunk) => void,
    options?: ReadOutputOptions,
  ): Disposable {
    this.#follow();
    return super.readOutput(from, listener, options);
  }

  async keptOutput(from: number): Promise<readonly OutputChunk[]> {
    const unpin = this.output.pin();
    try {
      const { outputStart } = this;
      const older = from < outputStart ? await this.#calls.fetch(from, outputStart) : [];
      return [...older, ...this.output.chunksFrom(Math.max(from, outputStart))];
    } finally {
      unpin();
    }
  }

  note(note: Note, place?: 'before_step'): void {
    const { deliveredTo, stepsDelivered } = this.output;
    const json = encodeJson({ note });
    const steps = stepsDelivered - (place === undefined ? 0 : 1);
    const at = encodeFields({ offset: deliveredTo }, { offset: steps }, { bytes: json });
    this.output.countNote();
    this.#send('note', at);
  }

  save(change: SavedChange): void {
    if (!this.isSaved) return;
    this.#connection.sendLong('keep', { session: this.#session }, encodeSavedChange(change));
  }

  keepLearned(secrets: LearnedSecrets): void {
    // Earlier hosts ignore it.
    if (!this.isSaved) return;
    const target = { session: this.#session, flags: ignorable };
    this.#connection.send('learned', target, encodeJson(secrets));
  }

  onSavedDropped(listener: (line: number) => void): Disposable {
    return this.#dropped.on(listener);
  }

  async write(bytes: Uint8Array, options: WriteOptions = {}): Promise<WriteReceipt> {
    const { signal } = options;
    if (signal?.aborted) throw withdrawn();
    this.#unchanged.disturbed();
    const { protocolVersion: version } = this.#connection;
    // Programs wait for the answers to their queries, also if the host responds late.
    const isAnswer = options.answersTo !== undefined;
    if (!isAnswer) {
      this.#connection.checkResponds({ acceptedBytes: 0 });
      this.#connection.typed(this.#session);
    }
    const limit = isAnswer ? {} : this.#connection.startBy;
    const { number, answer } = this.#connection.request(
      'write',
      this.#session,
      [encodeWriteOptions({ ...options, ...limit }, version), bytes],
      ({ payload }) => {
        const receipt = decodeWriteReceipt(new Fields(payload));
        options.onReceipt?.(receipt);
        return receipt;
      },
    );
    if (!isAnswer) this.#connection.flush();
    const onAbort = () => this.#send('abort', new Uint8Array(0), number);
    signal?.addEventListener('abort', onAbort);
    let isAnswered = false;
    void options.shown?.then(() => {
      // Earlier hosts ignore it.
      const target = { session: this.#session, request: number, flags: ignorable };
      if (!isAnswered) this.#connection.send('shown', target);
    });
    try {
      const receipt = await answer;
      // The echo came with it: first it goes to those who wait for it.
      await afterMicrotasks();
      return receipt;
    } catch (error) {
      if (!this.#connection.isSilent) throw this.#orEnded(error);
      const isLimited = limit.startByMs !== undefined && version >= 2;
      const later = isLimited
        ? 'may have been typed before, and is not typed later'
        : 'may be typed when it responds again';
      const message = `${asVtrError(error).message}; the input ${later}`;
      throw new VtrError('UNAVAILABLE', message, { details: { accepted: 'unknown' } });
    } finally {
      isAnswered = true;
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async resize(size: Size, { isLimited = false }: Limited = {}): Promise<number> {
    const { cols, rows } = checkSize(size);
    this.#unchanged.disturbed();
    const { startByMs } = isLimited ? this.#connection.startBy : {};
    // Earlier hosts ignore the limit.
    const limit = startByMs === undefined ? [] : [{ offset: Math.floor(startByMs) }];
    const payload = encodeFields({ u16: cols }, { u16: rows }, ...limit);
    this.#connection.checkResponds();
    try {
      return await this.#connection.request('resize', this.#session, [payload], resizedAt).answer;
    } catch (error) {
      throw this.#orEnded(error);
    }
  }

  async signal(signal: SignalName, target: SignalTarget): Promise<void> {
    this.#unchanged.disturbed();
    try {
      await this.#calls.ask({ ask: 'signal', signal, target, ...this.#connection.startBy });
    } catch (error) {
      throw this.#orEnded(error);
    }
  }

  foreground(listed?: readonly ProcessEntry[], withDirectory = false): Promise<Foreground> {
    const options = defined({ withDirectory: withDirectory || undefined });
    // For many sessions, looks at each would hold this thread for long.
    const isOfList = listed !== undefined && listed.length === 0;
    const facts = isOfList ? this.#unchanged.facts(withDirectory) : null;
    if (facts !== null) return Promise.resolve(facts);
    const ask = () => this.#foreground({ listed: isListed(listed), withTrace: true, ...options });
    const answer = this.#unchanged.noting(ask);
    // A list asks for many sessions in one turn.
    if (listed === undefined) this.#connection.flush();
    return answer;
  }

  get knowsForeground(): boolean {
    return this.#unchanged.facts(false) !== null;
  }

  /** Hosts of earlier versions look at the processes, too. */
  foregroundProgram(): Promise<Foreground> {
    return this.#foreground({ listed: false, onlyProgram: true });
  }

  async #foreground(options: object): Promise<Foreground> {
    const question = { ask: 'foreground', ...options };
    const { modes, ...facts } = await this.#calls.askOr<Foreground>(noForeground, question);
    return modes === undefined ? facts : { ...facts, modes: this.#oneOf(modes) };
  }

  directory(pid: number): Promise<string | null> {
    return this.#calls.askOr(null, { ask: 'directory', pid });
  }

  async modes(listed?: readonly ProcessEntry[]): Promise<TerminalModes | null> {
    const question = { ask: 'modes', listed: isListed(listed) };
    const modes = await this.#calls.askOr<TerminalModes | null>(null, question);
    return modes && this.#oneOf(modes);
  }

  #oneOf(modes: TerminalModes): TerminalModes {
    const last = this.#lastModes;
    if (last?.echo === modes.echo && last.canonical === modes.canonical) return last;
    this.#lastModes = modes;
    return modes;
  }

  async usage(): Promise<TreeUsage> {
    const usage = await this.#calls.askOr<TreeUsage | null>(null, { ask: 'usage' });
    // CPU time that falls to 0 and rises again would be taken for a burst.
    if (usage === null) return this.#connection.isSilent ? this.#lastUsage : noUsage;
    this.#lastUsage = usage;
    return usage;
  }

  pssBytes(): Promise<number | null> {
    return this.#calls.askOr(null, { ask: 'pss' });
  }

  async suspend(): Promise<void> {
    this.#unchanged.disturbed();
    await this.#calls.tell('suspend');
  }

  async continue(): Promise<void> {
    this.#unchanged.disturbed();
    await this.#calls.tell('continue');
  }

  pause(): void {
    if (this.#isEnding) return;
    this.#isPaused = true;
    this.#frames ??= [];
    this.output.pause();
    void this.#calls.tell('pause');
  }

  resume(): void {
    if (this.#isPaused) void this.#calls.tell('resume');
    this.#isPaused = false;
    this.output.resume();
    this.#deliverHeld();
  }

  async end({ isLimited = false, ...options }: EndOptions & Limited = {}): Promise<ExitStatus> {
    this.ending();
    const limit = isLimited ? this.#connection.startBy : {};
    try {
      await this.#calls.ask({ ask: 'end', options, ...limit });
    } catch (error) {
      // Without its host the program has no terminal.
      if (this.#connection.isOpen || this.#connection.isLeft) {
        this.#isEnding = false;
        throw error;
      }
    }
    await this.#left;
    return this.exit;
  }

  endLeft(sessionId: string): Promise<void> {
    this.#left = endLeft(sessionId, this.#connection.facts.pid);
    return this.#left;
  }

  forget(): void {
    if (this.#isForgotten) return;
    this.#isForgotten = true;
    this.#send('forget', new Uint8Array(0));
    this.#connection.removeSession(this.#session);
  }

  handle(frame: Frame): void {
    const isNotice = frame.type === 'paused' || frame.type === 'dropped';
    if (this.#frames === null || isNotice) this.#apply(frame);
    else this.#frames.push({ ...frame, payload: new Uint8Array(frame.payload) });
  }

  ending(): void {
    this.#isEnding = true;
    this.#follow();
    this.resume();
  }

  left(): void {
    this.#frames = null;
    this.#resolveReplayed();
  }

  lost(): void {
    this.#isLost = true;
    this.#isPaused = false;
    this.output.resume();
    this.#deliverHeld();
    this.output.finish(hungUp);
    this.#resolveReplayed();
  }

  /** The host sends the steps of a program that was adopted from the first reader on. */
  #follow(): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    if (!this.#isPaused) this.#frames = null;
    this.#send('follow', new Uint8Array(0));
  }

  /** Delivers frame by frame: a listener may pause again. */
  #deliverHeld(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      while (!this.#isPaused && this.#frames !== null) {
        const frame = this.#frames.shift();
        if (frame === undefined) this.#frames = null;
        else this.#apply(frame);
      }
    } catch (error) {
      this.#connection.fail(error);
    } finally {
      this.#isDelivering = false;
    }
  }

  #apply({ type, flags, payload }: Frame): void {
    if (type === 'data') {
      const { offset, bytes, wallMs, bootMs } = decodeData(payload);
      this.#check(offset);
      this.output.append(bytes, { wallMs, bootMs });
      const isLazy = (flags & lazy) !== 0;
      this.#connection.consume(this.#session, this.outputEnd, isLazy);
      return;
    }
    if (type === 'replayed') {
      this.#resolveReplayed();
      return;
    }
    const fields = new Fields(payload);
    const offset = fields.offset();
    if (type === 'paused') {
      this.#paused = { sinceMs: offset, bytes: fields.offset() };
      return;
    }
    if (type === 'dropped') {
      this.#dropped.emit(offset);
      return;
    }
    this.#check(offset);
    if (type === 'resized') {
      const size = { cols: fields.u16(), rows: fields.u16() };
      this.output.addStep({ type: 'resize', offset, size });
    } else if (type === 'note') {
      // The count of steps before it, which this side has.
      fields.offset();
      const note = decodeJson(fields.rest())['note'] as Note;
      this.output.addStep({ type: 'note', offset, note });
    } else if (type === 'exited') {
      const { status, atMs } = decodeJson(fields.rest()) as { status: ExitStatus; atMs: number };
      this.output.finish(status, atMs);
    } else {
      throw new ProtocolError(`${type} for a session`);
    }
  }

  #check(offset: number): void {
    if (offset !== this.outputEnd) {
      throw new ProtocolError(`step at ${offset}, expected at ${this.outputEnd}`);
    }
  }

  #send(type: 'note' | 'abort' | 'follow' | 'forget', payload: Uint8Array, request = 0): void {
    this.#connection.send(type, { session: this.#session, request }, payload);
  }

  /** Without its host the program has no terminal. */
  #orEnded(error: unknown): unknown {
    if (this.#connection.isOpen || this.#connection.isLeft) return error;
    const message =
      'the program has ended with its PTY host; revive the session, or spawn another session';
    return new VtrError('SESSION_NOT_RUNNING', message);
  }
}
