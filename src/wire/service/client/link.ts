import type { Duplex } from 'node:stream';
import { ignored, machineMs } from '#base';
import { isAddress, VtrError } from '#model';
import { clockName, startWithin } from '../call-headers.ts';
import { protocolError } from '../convert/field.ts';
import {
  decodeFailure,
  encodeFrame,
  type Frame,
  type FramedClient,
  FrameError,
  FrameReader,
  type FrameType,
  framedClients,
  frameTypes,
  preface,
} from '../frames/frame.ts';
import { openStream, type ToolStreamOptions } from '../tool-stream.ts';
import { graceMsOf, Pace, slowText } from './pace.ts';
import { farStartMs, startWithinMs } from './silence-limits.ts';

/** The most bytes of a message from the coordinator, which is trusted. */
const maxPayload = 1024 * 1024 * 1024;

/** The longest time without a byte until a coordinator at an address greets, in ms; see `ToolStream.setTimeout`. */
const farGreetingMs = 30_000;

/** Receives the frames of one call. */
export interface Receiver {
  /** From the first byte of the answer to its last, in ms; infinite for any, null for a call that streams. */
  readonly answerMs: number | null;
  message(payload: Uint8Array): void;
  /** The call has ended, with a message if it does not stream. */
  end(answer: Uint8Array | null): void;
  fail(error: unknown): void;
}

/** A frame that is not complete. */
interface Arriving {
  readonly pace: Pace;
  readonly beganMs: number;
}

/** One connection to a coordinator: its frames, and the calls that are pending on it. */
export class Link {
  /** Resolves when the coordinator answers; rejects if the connection ends before. */
  readonly ready: Promise<void>;
  readonly #path: string;
  readonly #isFar: boolean;
  readonly #stream: Duplex;
  readonly #onClosed: () => void;
  readonly #calls = new Map<number, Receiver>();
  readonly #reader = new FrameReader(maxPayload, (frame) => this.#handle(frame));
  #lastCall = 0;
  #isReady = false;
  #accepts = true;
  #isCorked = false;
  #error: Error | null = null;
  #arriving: Arriving | null = null;
  #frames = 0;
  #greeted: () => void = () => {};
  #notGreeted: (error: Error) => void = () => {};

  /**
   * @param path of a socket, or an address
   * @param onClosed called when the connection has ended, and its calls have failed
   */
  constructor(
    path: string,
    client: FramedClient,
    onClosed: () => void,
    options: ToolStreamOptions = {},
  ) {
    this.#path = path;
    this.#isFar = isAddress(path);
    this.#onClosed = onClosed;
    this.ready = new Promise((resolve, reject) => {
      this.#greeted = resolve;
      this.#notGreeted = reject;
    });
    ignored(this.ready, 'the calls that wait for it get the error');
    const stream = openStream(path, options);
    this.#stream = stream;
    this.#stream.on('data', (chunk) => this.#receive(chunk));
    this.#stream.on('error', (error) => {
      this.#error ??= error;
    });
    this.#stream.once('close', () => this.#close());
    if (this.#isFar) {
      const late = () => this.#isReady || this.destroy(new Error('it does not greet'));
      stream.setTimeout(farGreetingMs, late);
    }
    const number = framedClients.indexOf(client);
    const clock = encodeFrame(frameTypes.clock, number, Buffer.from(clockName()));
    this.#stream.write(Buffer.concat([Buffer.from(preface), clock]));
  }

  /** Whether further calls can be made. */
  get accepts(): boolean {
    return this.#accepts;
  }

  /** Sends a call. @returns its number */
  call(name: string, request: Uint8Array, receiver: Receiver): number {
    this.#lastCall = (this.#lastCall % 0xffff_ffff) + 1;
    const number = this.#lastCall;
    this.#calls.set(number, receiver);
    const limit = startWithin(this.#isFar ? farStartMs : startWithinMs());
    this.#write(encodeFrame(frameTypes.call, number, request, name, limit));
    return number;
  }

  /** Sends a frame of a pending call; without effect if the call has ended. */
  send(type: FrameType, call: number, payload?: Uint8Array): void {
    if (this.#calls.has(call)) this.#write(encodeFrame(type, call, payload));
  }

  /** Ends a call without its answer. */
  cancel(call: number): void {
    this.send(frameTypes.cancel, call);
    this.#calls.delete(call);
    this.#endIfIdle();
  }

  destroy(error: Error): void {
    this.#error ??= error;
    this.#stream.destroy();
  }

  /** The first frame of a turn is sent at once: mostly it is a key. Those after it are sent in one system call. */
  #write(frame: Uint8Array): void {
    this.#stream.write(frame);
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    process.nextTick(this.#flush);
  }

  readonly #flush = () => {
    this.#isCorked = false;
    this.#stream.uncork();
  };

  /** Whether the answer to a call has begun. */
  isArriving(call: number): boolean {
    return this.#reader.incompleteCall === call;
  }

  #receive(chunk: Buffer): void {
    const before = this.#frames;
    try {
      this.#reader.push(chunk);
      this.#keepPace(chunk.length, this.#frames > before);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      const message = `the process that listens at ${this.#path} does not speak this protocol (${error.message}); if it is a daemon of another version of vtr, 'vtr serve --restart' replaces it`;
      this.destroy(protocolError(message));
    }
  }

  /** Gives up a frame that comes in drips: it delays all calls of the connection. @param isNew whether one ended */
  #keepPace(bytes: number, isNew: boolean): void {
    const isWhole = this.#reader.receiving === null;
    if (isNew || isWhole) this.#endPace();
    if (isWhole || this.#stream.destroyed) return;
    const begun = () => {
      const pace = new Pace(graceMsOf(this.#isFar), () => this.#giveUpFrame());
      return { pace, beganMs: machineMs() };
    };
    this.#arriving ??= begun();
    const { pace, beganMs } = this.#arriving;
    pace.received(bytes);
    const limitMs = this.#calls.get(this.#reader.incompleteCall ?? 0)?.answerMs ?? null;
    if (limitMs !== null && machineMs() - beganMs > limitMs) this.#giveUpFrame();
  }

  #endPace(): void {
    this.#arriving?.pace.end();
    this.#arriving = null;
  }

  /** The call whose answer it is fails. All others can be repeated on another connection. */
  #giveUpFrame(): void {
    const call = this.#reader.incompleteCall ?? 0;
    const receiver = this.#calls.get(call);
    if (receiver !== undefined && receiver.answerMs !== null) {
      this.#calls.delete(call);
      receiver.fail(new VtrError('UNAVAILABLE', `the coordinator at ${this.#path}: ${slowText}`));
    }
    this.destroy(new Error(slowText));
  }

  #handle({ type, call, payload }: Frame): void {
    this.#frames++;
    if (!this.#isReady) {
      if (type !== frameTypes.hello) throw new FrameError('no greeting');
      this.#isReady = true;
      this.#greeted();
    } else if (type === frameTypes.message) {
      // Frames of calls that were cancelled may be on their way.
      this.#calls.get(call)?.message(payload);
    } else if (type === frameTypes.answer) this.#take(call)?.end(payload);
    else if (type === frameTypes.end) this.#take(call)?.end(null);
    else if (type === frameTypes.failure) {
      // Before the call is taken: if this throws, it fails with the connection.
      const error = decodeFailure(payload);
      this.#take(call)?.fail(error);
    } else if (type === frameTypes.leave) this.#accepts = false;
    else throw new FrameError(`a frame of type ${type}`);
    this.#endIfIdle();
  }

  #take(call: number): Receiver | undefined {
    const receiver = this.#calls.get(call);
    this.#calls.delete(call);
    return receiver;
  }

  #endIfIdle(): void {
    if (!this.#accepts && this.#calls.size === 0) this.#stream.end();
  }

  #close(): void {
    this.#accepts = false;
    this.#endPace();
    const error = this.#error ?? new Error('the connection was closed');
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const each of calls) each.fail(error);
    this.#notGreeted(error);
    this.#onClosed();
  }
}
