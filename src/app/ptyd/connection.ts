import type { Socket } from 'node:net';
import { asVtrError, flow, VtrError } from '#model';
import type { OutputPause } from '#pty';
import {
  encodeDataHeader,
  encodeError,
  encodeFields,
  encodeFrame,
  encodeHeader,
  encodeJson,
  type Frame,
  FrameReader,
  type FrameTarget,
  type FrameType,
  flooding,
  lazy,
  maxFrameBytes,
  ProtocolError,
  splitPayload,
} from '#pty/hosted';
import type { OutputKind, StepSink } from './kept-session.ts';
import type { KeptStep, OutputStep } from './step-log.ts';

/** The most bytes of a frame before `take`, which has an environment: execve(2) accepts 2 MiB of it. */
const maxEarlyBytes = 2 * 1024 * 1024;
const { maxUnsentBytes, soonMs } = flow.hostConnection;

export interface ConnectionHandlers {
  /** May throw ProtocolError, which closes the connection. */
  readonly onFrame: (frame: Frame) => void;
  /** Called once. */
  readonly onClosed: () => void;
  readonly log: (line: string) => void;
}

/** A coordinator's connection to the host. Malformed frames close it, and affect nothing else. */
export class Connection implements StepSink {
  readonly #socket: Socket;
  readonly #handlers: ConnectionHandlers;
  readonly #reader = new FrameReader((frame) => this.#handlers.onFrame(frame));
  #isCorked = false;
  /** Frames that wait for the next one. */
  #soon: Buffer[] = [];

  constructor(socket: Socket, handlers: ConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#reader.maxBytes = maxEarlyBytes;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => {});
    socket.once('close', handlers.onClosed);
  }

  send(type: FrameType, target: FrameTarget, ...parts: readonly Uint8Array[]): void {
    this.#cork();
    this.#socket.write(encodeFrame(type, target, ...parts));
  }

  /** Sends a payload of any length. The parts are not copied, and must not change afterwards. */
  sendLong(type: FrameType, target: FrameTarget, payload: readonly Uint8Array[]): void {
    this.#cork();
    for (const { flags, bytes, parts } of splitPayload(payload)) {
      this.#socket.write(encodeHeader(type, { ...target, flags }, bytes));
      for (const part of parts) this.#socket.write(part);
    }
  }

  answer(request: number, value: object): void {
    this.send('answer', { request }, encodeJson(value));
  }

  fail(request: number, error: unknown): void {
    this.send('error', { request }, encodeError(asVtrError(error)));
  }

  output(session: number, step: OutputStep, { isLazy, floods }: OutputKind): void {
    this.#cork();
    const flags = (isLazy ? lazy : 0) | (floods ? flooding : 0);
    this.#socket.write(encodeDataHeader(session, step, flags));
    // The bytes need no copy: the pages of output are never written again.
    this.#socket.write(step.bytes);
  }

  step(session: number, step: Exclude<KeptStep, OutputStep>): void {
    const offset = { offset: step.offset };
    if (step.type === 'resize') {
      const { request, size } = step;
      const fields = encodeFields(offset, { u16: size.cols }, { u16: size.rows });
      this.send('resized', { request, session }, fields);
    } else if (step.type === 'note') {
      this.send(
        'note',
        { session },
        encodeFields(offset, { offset: 0 }, { bytes: encodeJson({ note: step.note }) }),
      );
    } else {
      const { status, atMs } = step;
      const exit = encodeJson({ status, atMs });
      this.send('exited', { session }, encodeFields(offset, { bytes: exit }));
    }
  }

  paused(session: number, { sinceMs, bytes }: OutputPause): void {
    this.send('paused', { session }, encodeFields({ offset: sinceMs }, { offset: bytes }));
  }

  replayed(session: number): void {
    this.send('replayed', { session });
  }

  dropped(session: number, line: number): void {
    this.send('dropped', { session }, encodeFields({ offset: line }));
  }

  /** From now on the client may send frames of any length. */
  taken(): void {
    this.#reader.maxBytes = maxFrameBytes;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes after everything was sent. */
  close(): void {
    this.#socket.end();
  }

  #receive(chunk: Buffer): void {
    try {
      this.#reader.push(chunk);
      if (this.#socket.writableLength > maxUnsentBytes) {
        this.#socket.pause();
        this.#socket.once('drain', () => this.#socket.resume());
      }
    } catch (error) {
      const reason = error instanceof ProtocolError ? error.message : String(error);
      this.#handlers.log(`connection closed: ${reason}`);
      this.fail(0, new VtrError('INVALID_ARGUMENT', `the PTY host received a ${reason}`));
      this.#socket.destroySoon();
      this.#socket.removeAllListeners('data');
    }
  }

  /**
   * Sends a frame with the next one, or in a millisecond: the answer to an input with its echo, which must
   * not wait until the coordinator has handled the answer.
   */
  sendSoon(type: FrameType, target: FrameTarget, ...parts: readonly Uint8Array[]): void {
    this.#soon.push(encodeFrame(type, target, ...parts));
    if (this.#soon.length === 1) setTimeout(() => this.#cork(), soonMs);
  }

  /** Frames of one turn of the event loop are sent in one system call. */
  #cork(): void {
    if (!this.#isCorked) this.#corkOnce();
    if (this.#soon.length === 0) return;
    const frames = this.#soon;
    this.#soon = [];
    for (const frame of frames) this.#socket.write(frame);
  }

  #corkOnce(): void {
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }
}
