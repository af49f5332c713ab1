import { type Disposable, defined, Emitter, encodeUtf8 } from '#base';
import { type ExitStatus, type InputReceipt, type Size, VtrError } from '#model';
import {
  chunkFrom,
  type Foreground,
  type LearnedSecrets,
  type Note,
  nothingLearned,
  type OutputChunk,
  type OutputPause,
  type Pty,
  type ReadTime,
  type SavedChange,
  type Step,
  type TerminalModes,
  type TreeUsage,
  type WriteOptions,
} from '#pty';
import { type Deferred, deferred } from '../deferred.ts';

/** A pseudo-terminal without a program: a test writes its output and reads its input. */
export class FakePty implements Pty {
  readonly pid = 4711;
  readonly program = '/bin/fake';
  /** Absolute offset of the first byte; later than 0 if another coordinator had the output before. */
  readonly outputStart: number;
  /** Bytes that have been read and not delivered, as after a pause. */
  undelivered = 0;
  /** The input, a string per write, in order. */
  readonly written: string[] = [];
  /** The offsets that the writes answer to. */
  readonly answers: number[] = [];
  /** The programs that answers are for. */
  readonly readers: (number | undefined)[] = [];
  /** The pauses of each write. */
  readonly pauses: (readonly number[])[] = [];
  /** The Enters of each write that are apart. */
  readonly enters: (readonly number[])[] = [];
  /** What each write is told of the screen. */
  readonly shown: (Promise<void> | undefined)[] = [];
  readonly sizes: Size[] = [];
  readonly signals: string[] = [];
  /** What was saved, in order. */
  readonly saved: SavedChange[] = [];
  exitedAtMs: number | null = null;
  isSaved = false;
  isLost = false;
  /** Whether the reader has paused it. Output is delivered nevertheless. */
  paused = false;
  pausedByHost: OutputPause | null = null;
  stepsDelivered = 0;
  /** While it is set, writes wait for {@link releaseWrites}. */
  holdsWrites = false;
  /** The bytes that the program has accepted of a write that waits and is withdrawn. */
  acceptedOfHeld = 0;
  /** The state of the terminal in the system. */
  facts: { foreground: Foreground; modes: TerminalModes | null; directory?: string } = {
    foreground: { program: null, isLeader: null, readsTerminal: null, alsoWaits: null },
    modes: null,
  };
  /** The error of writes, resizes and signals; null for success. */
  failure: VtrError | null = null;
  readonly #chunks = new Emitter<OutputChunk>();
  readonly #steps = new Emitter<Step>();
  readonly #exits = new Emitter<ExitStatus>();
  readonly #exit = deferred<ExitStatus>();
  /** Output for late readers. */
  readonly #outputChunks: OutputChunk[] = [];
  /** Output before {@link outputStart}. */
  readonly #earlier: readonly OutputChunk[];
  #delivered: number;
  #hasExited = false;
  /** Writes that wait; each resolves with its error. */
  #holds: Deferred<VtrError | null>[] = [];

  constructor(outputStart = 0, earlier: readonly OutputChunk[] = []) {
    this.outputStart = outputStart;
    this.#delivered = outputStart;
    this.#earlier = earlier;
  }

  get outputEnd(): number {
    return this.#delivered + this.undelivered;
  }

  output(text: string | Uint8Array, readAt?: ReadTime): void {
    const bytes = typeof text === 'string' ? encodeUtf8(text) : text;
    const chunk = { offset: this.#delivered, bytes, ...defined({ readAt }) };
    this.#delivered += bytes.length;
    this.#outputChunks.push(chunk);
    this.#chunks.emit(chunk);
  }

  /** Drops all output kept for late readers. */
  dropOutput(): void {
    this.#outputChunks.length = 0;
  }

  announceExit(status: ExitStatus): void {
    this.#hasExited = true;
    this.#exits.emit(status);
    this.#exit.resolve(status);
  }

  /** Lets held writes succeed, or fail. */
  releaseWrites(failure: VtrError | null = null): void {
    for (const write of this.#holds) write.resolve(failure);
    this.#holds = [];
  }

  outputAtHand(from: number): readonly OutputChunk[] {
    return this.#outputChunks.flatMap((chunk) => chunkFrom(chunk, from));
  }

  readOutput(from: number, listener: (chunk: OutputChunk) => void): Disposable {
    for (const chunk of this.outputAtHand(from)) listener(chunk);
    return this.#chunks.on(listener);
  }

  save(change: SavedChange): void {
    this.saved.push(change);
  }

  /** The secrets that were kept last. */
  learned: LearnedSecrets = nothingLearned;

  keepLearned(secrets: LearnedSecrets): void {
    this.learned = secrets;
  }

  readonly #dropped = new Emitter<number>();

  onSavedDropped(listener: (line: number) => void): Disposable {
    return this.#dropped.on(listener);
  }

  /** Reports that saved segments before a line were dropped. */
  dropSaved(line: number): void {
    this.#dropped.emit(line);
  }

  async keptOutput(from: number): Promise<readonly OutputChunk[]> {
    return [...this.#earlier, ...this.#outputChunks].filter(({ offset, bytes }) => {
      return offset + bytes.length > from;
    });
  }

  async write(bytes: Uint8Array, options: WriteOptions = {}): Promise<InputReceipt> {
    if (this.failure !== null) throw this.failure;
    this.pauses.push(options.pausesAt ?? []);
    this.enters.push(options.entersAt ?? []);
    this.shown.push(options.shown);
    if (options.answersTo !== undefined) {
      this.answers.push(options.answersTo);
      this.readers.push(options.reader);
    }
    this.written.push(Buffer.from(bytes).toString('latin1'));
    if (!this.holdsWrites) return {};
    const settled = deferred<VtrError | null>();
    this.#holds.push(settled);
    options.signal?.addEventListener('abort', () => {
      const details = { acceptedBytes: this.acceptedOfHeld };
      settled.resolve(new VtrError('CANCELLED', 'the input was withdrawn', { details }));
    });
    const failure = await settled.promise;
    if (failure !== null) throw failure;
    return {};
  }

  /** The notes, with their offsets. */
  readonly notes: [Note, number][] = [];
  /** Output that the program wrote before the next resize and that is delivered after its answer. */
  beforeResize = '';

  onStep(listener: (step: Step) => void): Disposable {
    return this.#steps.on(listener);
  }

  note(note: Note): void {
    this.stepsDelivered++;
    this.notes.push([note, this.#delivered]);
  }

  /** Delivers a step, as in a replay. */
  step(step: Step): void {
    this.stepsDelivered++;
    this.#steps.emit(step);
  }

  async resize(size: Size): Promise<number> {
    if (this.failure !== null) throw this.failure;
    this.sizes.push(size);
    const offset = this.#delivered + encodeUtf8(this.beforeResize).length;
    if (this.beforeResize !== '') this.output(this.beforeResize);
    this.beforeResize = '';
    this.step({ type: 'resize', offset, size });
    return offset;
  }

  async signal(signal: string): Promise<void> {
    if (this.failure !== null) throw this.failure;
    this.signals.push(signal);
  }

  async foreground(): Promise<Foreground> {
    return this.facts.foreground;
  }

  async foregroundProgram(): Promise<Foreground> {
    return { ...this.facts.foreground, readsTerminal: null, alsoWaits: null };
  }

  async directory(): Promise<string | null> {
    return this.facts.directory ?? null;
  }

  async modes(): Promise<TerminalModes | null> {
    return this.facts.modes;
  }

  /** The usage of its processes. */
  takes: TreeUsage = { count: 1, residentBytes: 0, cpuMs: 0 };
  /** The usage with shared memory counted once; null when the system does not report it. */
  takesOwnBytes: number | null = null;
  isHeld = false;

  async usage(): Promise<TreeUsage> {
    return this.takes;
  }

  async pssBytes(): Promise<number | null> {
    return this.takesOwnBytes;
  }

  async suspend(): Promise<void> {
    this.isHeld = true;
  }

  async continue(): Promise<void> {
    this.isHeld = false;
  }

  forget(): void {}

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  get exit(): Promise<ExitStatus> {
    return this.#exit.promise;
  }

  onExit(listener: (status: ExitStatus) => void): Disposable {
    return this.#exits.on(listener);
  }

  async end(): Promise<ExitStatus> {
    if (!this.#hasExited) this.announceExit({ code: null, signal: 'SIGHUP' });
    return this.exit;
  }
}
