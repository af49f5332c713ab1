import { connect, type Socket } from 'node:net';
import { type Disposable, Emitter, machineMs } from '#base';
import { flow, VtrError } from '#model';
import { untrustedSocket } from '#trust';
import type { Deprival } from '../port.ts';
import type { DetachedCommand } from '../start-detached.ts';
import {
  decodeError,
  encodeFields,
  encodeFrame,
  encodeHeader,
  encodeJson,
  type Frame,
  type FrameTarget,
  type FrameType,
  ProtocolError,
  protocol,
} from './frames.ts';
import { HostPulse } from './host-pulse.ts';
import {
  decodeHello,
  encodeHello,
  type Hello,
  type HostFacts,
  hostFactsOf,
  overlaps,
  probePtyHost,
  rangeText,
} from './probe-pty-host.ts';
import { ReceivedFrames } from './received-frames.ts';
import { splitPayload } from './saved-frames.ts';

const { readBytes } = flow.receiving;

/** An answer to a request that was begun in time arrives before it fails, unless it takes longer than this. */
const marginMs = 200;
/** Clocks that differ by more than this, in ms, are not the same: the host is in another time namespace. */
const maxClockGapMs = 10_000;

/** Receives the frames of one session. */
export interface SessionFrames {
  /** May throw ProtocolError. */
  handle(frame: Frame): void;
  /** Called when all sessions are ended, which must not wait for a reader that is paused. */
  ending(): void;
  /** Called once, when the connection has ended, and the program with it. */
  lost(): void;
  /** Called once, when the connection has ended and the program runs on without this coordinator. */
  left(): void;
}

/** What the host does when the connection ends without a goodbye; absent: it ends all programs. */
export interface Survival {
  /** The command that starts a coordinator when none connects within a second; null: none. */
  readonly again: RestartCommand | null;
}

/** A command that starts a coordinator. */
export type RestartCommand = DetachedCommand;

interface Request {
  /** 0: the connection. */
  readonly session: number;
  readonly resolve: (frame: Frame) => void;
  readonly reject: (error: VtrError) => void;
  /** Receives the frames before the answer. */
  readonly onPart?: (frame: Frame) => void;
}

export interface Call<T> {
  /** The number of the request. */
  readonly number: number;
  readonly answer: Promise<T>;
}

/** A coordinator's connection to a PTY host. */
export class HostConnection {
  /** Whether the programs outlive this coordinator. */
  readonly survives: boolean;
  readonly #socket: Socket;
  readonly #ownVersion: string;
  readonly #received = new ReceivedFrames({
    sessionOf: ({ session, request }) => session || (this.#requests.get(request)?.session ?? 0),
    handle: (frame) => this.#handle(frame),
    acknowledge: (entries) =>
      this.send(
        'ack',
        {},
        ...entries.map(({ session, offset }) => encodeFields({ u32: session }, { offset })),
      ),
    resume: () => void this.#socket.resume(),
    onFault: (error) => this.fail(error),
  });
  readonly #requests = new Map<number, Request>();
  readonly #pulse = new HostPulse({
    isAwaited: () => this.#requests.size > 0,
    ping: () => this.send('ping', {}),
    onSilent: () => this.#rejectAll(this.#silent()),
  });
  readonly #sessions = new Map<number, SessionFrames>();
  #isCorked = false;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  #isOpen = true;
  /** Whether the programs run on without this coordinator. */
  #isLeft = false;
  #hello: Hello | null = null;
  /** Whether the host reads the same clock. */
  #hasSameClock = false;
  readonly #deprivedListeners = new Emitter<Deprival>();
  /** Whether this side has closed the connection. */
  #isClosed = false;
  #lastRequest = 0;
  #reason = 'it has ended';

  private constructor(path: string, version: string, survives: boolean) {
    this.#ownVersion = version;
    this.survives = survives;
    const buffer = new Uint8Array(readBytes);
    const callback = (count: number) => {
      this.#pulse.heard();
      return this.#received.receive(buffer.subarray(0, count));
    };
    this.#socket = connect({ path, onread: { buffer, callback } });
    this.#socket.on('error', ({ message }) => {
      this.#reason = message;
    });
    this.closed = new Promise((resolve) => {
      this.#socket.once('close', async () => {
        this.#isOpen = false;
        // What the host sent before it ended.
        if (!this.#isClosed && !this.#isLeft) this.#received.drain();
        this.#pulse.dispose();
        this.#rejectAll(this.#gone());
        if (this.survives && !this.#isClosed && !this.#isLeft) await this.#lookForHost(path);
        this.#endSessions();
        resolve();
      });
    });
  }

  /**
   * Connects to the host at a socket, and takes its sessions.
   *
   * @param version of this package
   * @throws VtrError UNAVAILABLE
   */
  static async open(
    path: string,
    version: string,
    survival: Survival | null,
  ): Promise<HostConnection> {
    const untrusted = untrustedSocket(path);
    if (untrusted !== null) {
      throw new VtrError('UNAVAILABLE', untrusted.message, { details: untrusted.details });
    }
    const connection = new HostConnection(path, version, survival !== null);
    const hello = { ...protocol, version, facts: { pid: process.pid } };
    connection.send('hello', {}, encodeHello(hello));
    const take = encodeJson({ pid: process.pid, survival });
    try {
      await connection.request('take', 0, [take], () => {}).answer;
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the programs run on without this coordinator: it has left them, or was superseded. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  /** Whether the host does not respond. Sessions continue when it does again. */
  get isSilent(): boolean {
    return this.#pulse.isSilent;
  }

  /**
   * Must be called before a request that must not be carried out later, when nobody waits for it.
   *
   * @throws VtrError UNAVAILABLE if the host does not respond
   */
  checkResponds(details: VtrError['details'] = {}): void {
    if (this.isSilent) throw this.#silent(details);
  }

  /** The version of the host's package. */
  get version(): string {
    return this.#hello?.version ?? '';
  }

  /** The newest version of the protocol that both sides know. */
  get protocolVersion(): number {
    return Math.min(this.#hello?.max ?? protocol.min, protocol.max);
  }

  /**
   * Until when the host may begin a request that is sent now: then it fails here at the earliest, because
   * the host does not respond. Absent if that cannot be told.
   */
  get startBy(): { readonly startByMs?: number } {
    if (!this.#hasSameClock) return {};
    return { startByMs: Math.max(0, machineMs() + this.#pulse.leastMs - marginMs) };
  }

  /** The host's properties when the connection began. */
  get facts(): HostFacts {
    return hostFactsOf(this.#hello ?? { ...protocol, version: '', facts: {} });
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** Calls `listener` once, when the programs run on without this coordinator, which did not leave them. */
  onDeprived(listener: (how: Deprival) => void): Disposable {
    return this.#deprivedListeners.on(listener);
  }

  /** Sends a frame; without effect when the connection has ended. */
  send(type: FrameType, target: FrameTarget, ...parts: readonly Uint8Array[]): void {
    const frame = encodeFrame(type, target, ...parts);
    if (!this.#isOpen) return;
    this.#cork();
    this.#socket.write(frame);
  }

  /** Sends a payload of any length. The parts must not change afterwards. */
  sendLong(type: FrameType, target: FrameTarget, parts: readonly Uint8Array[]): void {
    if (!this.#isOpen) return;
    this.#cork();
    for (const { flags, bytes, parts: pieces } of splitPayload(parts)) {
      this.#socket.write(encodeHeader(type, { ...target, flags }, bytes));
      for (const piece of pieces) this.#socket.write(piece);
    }
  }

  /**
   * Sends a request. The answer is decoded before any later frame is handled.
   *
   * @throws VtrError the host's; UNAVAILABLE if the connection ends or the host does not respond: it may
   * carry out the request later; INVALID_ARGUMENT if the request is too long
   */
  request<T>(
    type: FrameType,
    session: number,
    parts: readonly Uint8Array[],
    decode: (frame: Frame) => T,
    onPart?: (frame: Frame) => void,
  ): Call<T> {
    const number = this.#nextRequest();
    const answer = new Promise<T>((resolve, reject) => {
      if (!this.#isOpen) throw this.#gone();
      this.send(type, { session, request: number }, ...parts);
      this.checkResponds();
      const entry = { session, resolve: (frame: Frame) => resolve(decode(frame)), reject };
      this.#requests.set(number, onPart === undefined ? entry : { ...entry, onPart });
      this.#pulse.awaited();
    });
    return { number, answer };
  }

  /**
   * Passes the frames of a session to `frames`.
   *
   * @param from the offset up to which output was handled before
   */
  addSession(session: number, frames: SessionFrames, from = 0): void {
    this.#sessions.set(session, frames);
    this.#received.addSession(session, from);
  }

  hasSession(session: number): boolean {
    return this.#sessions.has(session);
  }

  /** Must be called before all sessions are ended. */
  beginEnding(): void {
    for (const session of [...this.#sessions.values()]) session.ending();
  }

  removeSession(session: number): void {
    this.#sessions.delete(session);
    this.#received.removeSession(session);
  }

  /** Must be called before input is sent to a session. */
  typed(session: number): void {
    this.#received.typed(session);
  }

  /** Sends what was written in this turn: the host can begin while the rest of the turn runs. */
  flush(): void {
    this.#uncork();
  }

  /** Must be called when the output up to an offset has been handled. */
  consume(session: number, to: number, isLazy: boolean): void {
    this.#received.consume(session, to, isLazy);
  }

  close(): void {
    this.#isClosed = true;
    this.#uncork();
    this.#socket.destroy();
  }

  /** Closes the connection; the host keeps the programs. */
  leave(): void {
    this.#isLeft = true;
    this.#reason = 'its programs were left to the next coordinator';
    this.#uncork();
    this.#socket.destroy();
  }

  /** Closes the connection, because the host does not follow the protocol. */
  fail(error: unknown): void {
    this.#isClosed = true;
    this.#reason = `it sent a ${error instanceof ProtocolError ? error.message : String(error)}`;
    this.#socket.destroy();
  }

  /** Frames of one turn of the event loop are sent in one system call: each wakes the host up. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(this.#uncork);
  }

  readonly #uncork = () => {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  };

  #nextRequest(): number {
    do this.#lastRequest = (this.#lastRequest % 0xffff_ffff) + 1;
    while (this.#requests.has(this.#lastRequest));
    return this.#lastRequest;
  }

  #handle(frame: Frame): void {
    const { type, request, session } = frame;
    if (this.#isClosed || (this.#isLeft && this.#socket.destroyed)) return;
    if (this.#hello === null) {
      this.#greet(frame);
    } else if (type === 'error') {
      this.#fail(request, decodeError(frame.payload));
    } else if (type === 'superseded') {
      this.#supersede();
    } else if (type === 'kept') {
      this.#requests.get(request)?.onPart?.(frame);
    } else if (type === 'started' && !this.#requests.has(request)) {
      this.#endUnwanted(session);
    } else if (type === 'started' || session === 0) {
      this.#answer(frame);
    } else {
      this.#sessions.get(session)?.handle(frame);
      if (request !== 0) this.#answer(frame);
    }
  }

  #greet({ type, payload }: Frame): void {
    if (type !== 'hello') throw new ProtocolError(`${type} before hello`);
    this.#hello = decodeHello(payload);
    this.#hasSameClock = Math.abs(machineMs() - this.facts.bootMs) < maxClockGapMs;
    if (overlaps(this.#hello)) return;
    const { version, facts } = this;
    this.#reason =
      `vtr ${version} runs there with ${rangeText(this.#hello)}, and vtr ${this.#ownVersion} has ` +
      `${rangeText(protocol)}; its programs run on; to end them, run 'kill ${facts.pid}'`;
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #supersede(): void {
    this.#isLeft = true;
    this.#reason = 'another coordinator has taken its sessions';
    this.#deprivedListeners.emit('superseded');
  }

  /** A connection can break though the host lives: then its programs have not ended. */
  async #lookForHost(path: string): Promise<void> {
    const { state } = await probePtyHost(path);
    if (state === 'gone' || this.#isLeft) return;
    this.#isLeft = true;
    this.#deprivedListeners.emit('disconnected');
  }

  /** Ends a program whose spawn has failed, because the host did not respond in time. */
  #endUnwanted(session: number): void {
    const question = encodeJson({ ask: 'end', options: { force: true } });
    const forget = () => this.send('forget', { session });
    this.request('ask', session, [question], () => {}).answer.then(forget, () => {});
  }

  #answer(frame: Frame): void {
    this.#take(frame.request)?.resolve(frame);
  }

  /** An error without a request is the last frame of the connection. */
  #fail(request: number, error: VtrError): void {
    if (request === 0) this.#reason = error.message;
    else this.#take(request)?.reject(error);
  }

  #take(request: number): Request | undefined {
    const entry = this.#requests.get(request);
    this.#requests.delete(request);
    return entry;
  }

  #endSessions(): void {
    for (const session of [...this.#sessions.values()]) {
      if (this.#isLeft) session.left();
      else session.lost();
    }
    this.#sessions.clear();
  }

  #rejectAll(error: VtrError): void {
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const request of requests) request.reject(error);
  }

  #silent(details: VtrError['details'] = {}): VtrError {
    const { pid } = this.facts;
    const named = pid === 0 ? '' : ` (process ${pid})`;
    const hint = pid === 0 ? '' : `; if it is suspended, continue it with 'kill -CONT ${pid}'`;
    const message = `the PTY host${named} does not respond; its programs run on${hint}`;
    return new VtrError('UNAVAILABLE', message, { details });
  }

  #gone(): VtrError {
    return new VtrError('UNAVAILABLE', `the PTY host cannot be reached: ${this.#reason}`);
  }
}
