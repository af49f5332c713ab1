import type { Disposable } from '#base';
import {
  checkSize,
  type EndOptions,
  type ExitStatus,
  hungUp,
  type InputReceipt,
  type SignalName,
  type Size,
  VtrError,
} from '#model';
import { ProgramOutput } from '../io/program-output.ts';
import {
  type Foreground,
  type Note,
  noForeground,
  type OutputChunk,
  type Pty,
  type SavedChange,
  type SignalTarget,
  type Step,
  type TerminalModes,
  type TreeUsage,
  type WriteOptions,
} from '../port.ts';
import type { ProcessEntry } from '../processes/process-table.ts';
import {
  decodeData,
  decodeJson,
  encodeFields,
  encodeJson,
  Fields,
  type Frame,
  lazy,
  ProtocolError,
} from './frames.ts';
import type { HostConnection, SessionFrames } from './host-connection.ts';

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
}

const noUsage: TreeUsage = { count: 0, residentBytes: 0, cpuMs: 0 };

/** A `Pty` whose pseudo-terminal belongs to a host in another process. */
export class HostedPty implements Pty, SessionFrames {
  readonly pid: number;
  readonly program: string;
  readonly #connection: HostConnection;
  readonly #session: number;
  readonly #output: ProgramOutput;
  /**
   * Frames that wait for `resume`, or for the first readers: each is delivered in one piece. Null
   * while frames are delivered at once.
   */
  #held: Frame[] | null = [];
  /** Equal modes are one object. */
  #lastModes: TerminalModes | null = null;
  #isDelivering = false;
  #isPaused = false;
  #isEnding = false;
  #isForgotten = false;

  constructor(parts: HostedPtyParts) {
    this.pid = parts.pid;
    this.program = parts.program;
    this.#connection = parts.connection;
    this.#session = parts.session;
    this.#output = new ProgramOutput(Math.min(parts.logBytes, mirrorBytes), parts.onListenerError);
    // The caller of `spawn` adds its readers before.
    setImmediate(() => this.#deliverHeld());
  }

  get outputStart(): number {
    return this.#output.start;
  }

  get outputEnd(): number {
    return this.#output.end;
  }

  get exitedAtMs(): number | null {
    return this.#output.exitedAtMs;
  }

  get exit(): Promise<ExitStatus> {
    return this.#output.exit;
  }

  readOutput(from: number, listener: (chunk: OutputChunk) => void): Disposable {
    return this.#output.read(from, listener);
  }

  async keptOutput(from: number): Promise<readonly OutputChunk[]> {
    const unpin = this.#output.pin();
    try {
      const { outputStart } = this;
      const older = from < outputStart ? await this.#fetch(from, outputStart) : [];
      return [...older, ...this.#output.chunksFrom(Math.max(from, outputStart))];
    } finally {
      unpin();
    }
  }

  onStep(listener: (step: Step) => void): Disposable {
    return this.#output.onStep(listener);
  }

  note(note: Note): void {
    const { deliveredTo } = this.#output;
    const payload = encodeFields({ offset: deliveredTo }, { bytes: encodeJson({ note }) });
    this.#send('note', payload);
  }

  save(_change: SavedChange): void {}

  async write(bytes: Uint8Array, options: WriteOptions = {}): Promise<InputReceipt> {
    const { signal, pausesAt = [] } = options;
    if (signal?.aborted) throw withdrawn();
    const pauses = encodeFields({ u32: pausesAt.length }, ...pausesAt.map((u32) => ({ u32 })));
    const { number, answer } = this.#connection.request(
      ...(['write', this.#session, [pauses, bytes]] as const),
      ({ payload }) => new Fields(payload).u32(),
    );
    const onAbort = () => this.#send('abort', new Uint8Array(0), number);
    signal?.addEventListener('abort', onAbort);
    try {
      const lineCutAtBytes = await answer;
      return lineCutAtBytes === 0 ? {} : { lineCutAtBytes };
    } catch (error) {
      throw this.#orEnded(error);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async resize(size: Size): Promise<number> {
    const { cols, rows } = checkSize(size);
    const payload = encodeFields({ u16: cols }, { u16: rows });
    try {
      return await this.#connection.request('resize', this.#session, [payload], resizedAt).answer;
    } catch (error) {
      throw this.#orEnded(error);
    }
  }

  async signal(signal: SignalName, target: SignalTarget): Promise<void> {
    try {
      await this.#ask({ ask: 'signal', signal, target });
    } catch (error) {
      throw this.#orEnded(error);
    }
  }

  async foreground(listed?: readonly ProcessEntry[]): Promise<Foreground> {
    const question = { ask: 'foreground', listed: listed !== undefined };
    return this.#askOr(noForeground, question);
  }

  directory(pid: number): Promise<string | null> {
    return this.#askOr(null, { ask: 'directory', pid });
  }

  async modes(listed?: readonly ProcessEntry[]): Promise<TerminalModes | null> {
    const question = { ask: 'modes', listed: listed !== undefined };
    const modes = await this.#askOr<TerminalModes | null>(null, question);
    const last = this.#lastModes;
    const isSame = modes?.echo === last?.echo && modes?.canonical === last?.canonical;
    if (!isSame) this.#lastModes = modes;
    return this.#lastModes;
  }

  usage(): Promise<TreeUsage> {
    return this.#askOr(noUsage, { ask: 'usage' });
  }

  pssBytes(): Promise<number | null> {
    return this.#askOr(null, { ask: 'pss' });
  }

  async suspend(): Promise<void> {
    await this.#askOr(null, { ask: 'suspend' });
  }

  async continue(): Promise<void> {
    await this.#askOr(null, { ask: 'continue' });
  }

  pause(): void {
    if (this.#isEnding) return;
    this.#isPaused = true;
    this.#held ??= [];
    this.#output.pause();
    this.#tell('pause');
  }

  resume(): void {
    if (this.#isPaused) this.#tell('resume');
    this.#isPaused = false;
    this.#output.resume();
    this.#deliverHeld();
  }

  onExit(listener: (status: ExitStatus) => void): Disposable {
    return this.#output.onExit(listener);
  }

  async end(options: EndOptions = {}): Promise<ExitStatus> {
    this.ending();
    try {
      await this.#ask({ ask: 'end', options });
    } catch (error) {
      // Without its host the program has no terminal.
      if (this.#connection.isOpen) {
        this.#isEnding = false;
        throw error;
      }
    }
    return this.exit;
  }

  forget(): void {
    if (this.#isForgotten) return;
    this.#isForgotten = true;
    this.#send('forget', new Uint8Array(0));
    this.#connection.removeSession(this.#session);
  }

  handle(frame: Frame): void {
    if (this.#held === null) this.#apply(frame);
    else this.#held.push({ ...frame, payload: new Uint8Array(frame.payload) });
  }

  ending(): void {
    this.#isEnding = true;
    this.resume();
  }

  lost(): void {
    this.#isPaused = false;
    this.#output.resume();
    this.#deliverHeld();
    this.#output.finish(hungUp);
  }

  /** Delivers frame by frame: a listener may pause again. */
  #deliverHeld(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      while (!this.#isPaused && this.#held !== null) {
        const frame = this.#held.shift();
        if (frame === undefined) this.#held = null;
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
      const { offset, bytes } = decodeData(payload);
      this.#check(offset);
      this.#output.append(bytes);
      const isLazy = (flags & lazy) !== 0;
      this.#connection.consume(this.#session, this.outputEnd, isLazy);
      return;
    }
    const fields = new Fields(payload);
    const offset = fields.offset();
    this.#check(offset);
    if (type === 'resized') {
      const size = { cols: fields.u16(), rows: fields.u16() };
      this.#output.addStep({ type: 'resize', offset, size });
    } else if (type === 'note') {
      const note = decodeJson(fields.rest())['note'] as Note;
      this.#output.addStep({ type: 'note', offset, note });
    } else if (type === 'exited') {
      this.#output.finish(decodeJson(fields.rest())['status'] as ExitStatus);
    } else {
      throw new ProtocolError(`${type} for a session`);
    }
  }

  #check(offset: number): void {
    if (offset !== this.outputEnd) {
      throw new ProtocolError(`step at ${offset}, expected at ${this.outputEnd}`);
    }
  }

  /** Returns the output between two offsets that the host keeps; none if the host is gone. */
  async #fetch(from: number, to: number): Promise<readonly OutputChunk[]> {
    const chunks: OutputChunk[] = [];
    for (let at = from; at < to; ) {
      const payload = encodeFields({ offset: at }, { offset: to });
      const call = this.#connection.request('fetch', this.#session, [payload], (frame) => {
        const fields = new Fields(frame.payload);
        return { offset: fields.offset(), bytes: new Uint8Array(fields.rest()) };
      });
      const chunk = await call.answer.catch(() => null);
      if (chunk === null || chunk.bytes.length === 0) break;
      chunks.push(chunk);
      at = chunk.offset + chunk.bytes.length;
    }
    return chunks;
  }

  #ask(question: object): Promise<unknown> {
    const payload = encodeJson(question);
    const decode = (frame: Frame) => decodeJson(frame.payload)['value'];
    return this.#connection.request('ask', this.#session, [payload], decode).answer;
  }

  /** Returns `otherwise` if the host does not answer. */
  async #askOr<T>(otherwise: T, question: object): Promise<T> {
    return this.#ask(question).then(
      (value) => value as T,
      () => otherwise,
    );
  }

  #tell(ask: 'pause' | 'resume'): void {
    this.#ask({ ask }).catch(() => {});
  }

  #send(type: 'note' | 'abort' | 'forget', payload: Uint8Array, request = 0): void {
    this.#connection.send(type, { session: this.#session, request }, payload);
  }

  /** Without its host the program has no terminal. */
  #orEnded(error: unknown): unknown {
    if (this.#connection.isOpen) return error;
    const { message } = error as Error;
    return new VtrError('SESSION_NOT_RUNNING', `the program has ended: ${message}`);
  }
}

/** The step itself is the answer, unless the session is paused. */
function resizedAt({ type, payload }: Frame): number {
  return type === 'resized'
    ? new Fields(payload).offset()
    : (decodeJson(payload)['value'] as number);
}

function withdrawn(): VtrError {
  const details = { acceptedBytes: 0 };
  return new VtrError('CANCELLED', 'the input was withdrawn; 0 bytes were accepted', { details });
}
