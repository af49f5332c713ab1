import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { PtyServer } from '#app/ptyd';
import { ignored } from '#base';
import { createPtyHost, type DetachedProgram, type OwningPtyHost, type PtyHost } from '#pty';
import {
  type ConnectOptions,
  connectPtyHost,
  type DataFrame,
  decodeData,
  encodeFields,
  encodeFrame,
  encodeHello,
  encodeJson,
  type Frame,
  FrameReader,
  type HostedPtyHost,
  protocol,
  type RestartCommand,
} from '#pty/hosted';
import { tree } from '../tree.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { ptyRequest } from './pty-request.ts';

/** A PTY server in this process, on a real socket, with a virtual clock for its lifetime. */
export class ServedPtyd {
  readonly socket = join(tree(), 'ptyd');
  readonly clock = new VirtualClock();
  readonly logged: string[] = [];
  /** The commands that were started, instead of processes if these are not {@link areReal}. */
  readonly restarts: RestartCommand[] = [];
  /** What was started of them. */
  readonly programs: DetachedProgram[] = [];
  areReal = false;
  /** How often it has collected garbage. */
  collections = 0;
  readonly ended: Promise<void>;
  readonly owner: OwningPtyHost;
  hasEnded = false;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hosts: PtyHost[] = [];
  readonly #startReally: OwningPtyHost['startDetached'];

  private constructor(now: () => { wallMs: number; bootMs: number }) {
    const owner = createPtyHost();
    this.#startReally = owner.startDetached.bind(owner);
    const startDetached = (command: RestartCommand) => this.#start(command);
    this.owner = Object.assign(owner, { startDetached });
    const parts = { host: this.owner, version: 'test', now, clock: this.clock };
    let server: PtyServer;
    this.ended = new Promise((resolve) => {
      const onEnd = () => {
        this.hasEnded = true;
        resolve();
      };
      const maxSavedBytes = 32 * 1024 * 1024;
      server = new PtyServer({
        ...parts,
        maxSavedBytes,
        log: (line) => void this.logged.push(line),
        collectGarbage: () => {
          this.collections++;
        },
        onEnd,
      });
    });
    this.#listener = createServer((connection) => {
      this.#sockets.add(connection);
      server.accept(connection);
    });
  }

  #start(command: RestartCommand): DetachedProgram {
    this.restarts.push(command);
    if (!this.areReal)
      return { started: Promise.resolve(0), isRunning: false, end: async () => false };
    const program = this.#startReally(command);
    this.programs.push(program);
    return program;
  }

  static async start(
    now = () => ({ wallMs: Date.now(), bootMs: performance.now() }),
  ): Promise<ServedPtyd> {
    const served = new ServedPtyd(now);
    await new Promise<void>((resolve) => served.#listener.listen(served.socket, resolve));
    return served;
  }

  async connect(options: Partial<ConnectOptions> = {}): Promise<HostedPtyHost> {
    const host = await connectPtyHost({ socket: this.socket, version: 'test', ...options });
    this.#hosts.push(host);
    return host;
  }

  /** Breaks all connections, as the kill of a coordinator does. */
  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Must be called at the end. */
  async dispose(): Promise<void> {
    for (const host of this.#hosts)
      await ignored(host.close({ force: true }), 'its program may have ended');
    await Promise.all(this.programs.map((program) => program.end()));
    await this.owner.close({ force: true });
    this.breakConnections();
    this.#listener.close();
  }
}

export const helloFrame = (versions = protocol, facts = {}) =>
  encodeFrame('hello', {}, encodeHello({ ...versions, version: 'test', facts }));

/** @param survival absent: programs end with the connection */
export const takeFrame = (survival: object | null = null) =>
  encodeFrame('take', { request: 99 }, encodeJson({ survival }));

/** A spawn of a program. */
export function spawnFrame(
  request: number,
  program: string,
  args: readonly string[] = [],
  facts = new Uint8Array(0),
): Buffer {
  const json = encodeJson(ptyRequest(program, args));
  return encodeFrame('spawn', { request }, encodeFields({ u32: json.length }), json, facts);
}

export const ackFrame = (session: number, offset: number) =>
  encodeFrame('ack', {}, encodeFields({ u32: session }, { offset }));

/** A client that does only what a test tells it to. */
export class RawClient {
  readonly frames: Frame[] = [];
  readonly #socket: Socket;
  isClosed = false;

  constructor(path: string) {
    this.#socket = connect(path);
    const reader = new FrameReader((frame) => {
      this.frames.push({ ...frame, payload: new Uint8Array(frame.payload) });
    });
    this.#socket.on('data', (chunk) => reader.push(chunk));
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      this.isClosed = true;
    });
  }

  send(...frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.#socket.write(frame);
  }

  of(type: Frame['type']): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  /** The steps of output, as they were received. */
  get data(): DataFrame[] {
    return this.of('data').map(({ payload }) => decodeData(payload));
  }

  get text(): string {
    return Buffer.concat(this.data.map(({ bytes }) => bytes)).toString('latin1');
  }

  /** The offset after the output that it has. */
  get end(): number {
    const last = this.of('data').at(-1);
    if (last === undefined) return 0;
    const { offset, bytes } = decodeData(last.payload);
    return offset + bytes.length;
  }

  /** Waits until there is more output than `least`, and no more arrives. */
  async untilStill(least: number): Promise<void> {
    await vi.waitFor(() => expect(this.end).toBeGreaterThan(least));
    let before = -1;
    const isStill = () => {
      const now = this.end;
      const isSame = now === before;
      before = now;
      expect(isSame).toBe(true);
    };
    await vi.waitFor(isStill, { interval: 200 });
  }

  untilClosed(): Promise<void> {
    return vi.waitFor(() => expect(this.isClosed).toBe(true));
  }

  close(): void {
    this.#socket.destroy();
  }
}
