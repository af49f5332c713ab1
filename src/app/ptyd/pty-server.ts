import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { asVtrError, type EndOptions, type SignalName, type Size, VtrError } from '#model';
import type { Note, ProcessEntry, PtyHost, PtySpawnRequest, SignalTarget } from '#pty';
import {
  decodeHello,
  decodeJson,
  encodeFields,
  encodeHello,
  encodeJson,
  Fields,
  type Frame,
  maxFetchBytes,
  ProtocolError,
  protocol,
} from '#pty/hosted';
import { Connection } from './connection.ts';
import { KeptSession } from './kept-session.ts';
import type { ReadTime } from './step-log.ts';
import { Window } from './window.ts';

/** The most steps of all sessions, in bytes. Beyond it no program is read. */
const maxAllBytes = 64 * 1024 * 1024;

export interface PtyServerOptions {
  readonly host: PtyHost;
  readonly version: string;
  readonly now: () => ReadTime;
  readonly log: (line: string) => void;
  /** Called when the coordinator is gone and all sessions have been ended. */
  readonly onEnd: () => void;
}

/** Serves pseudo-terminals to one coordinator. A newer one that takes them supersedes it. */
export class PtyServer {
  readonly #options: PtyServerOptions;
  readonly #generation = randomBytes(16);
  readonly #window: Window;
  readonly #sessions = new Map<number, KeptSession>();
  readonly #limit = new SharedLimit(() => this.#pumpAll());
  #coordinator: Connection | null = null;
  #lastId = 0;
  /** Whether all sessions were ended by request. */
  #hasEnded = false;
  /** The last listing that the coordinator requested. */
  #listed: readonly ProcessEntry[] = [];

  constructor(options: PtyServerOptions) {
    this.#options = options;
    this.#window = new Window(() => options.now().bootMs);
  }

  get hasCoordinator(): boolean {
    return this.#coordinator !== null;
  }

  accept(socket: Socket): void {
    const { version, log } = this.#options;
    let isGreeted = false;
    const connection: Connection = new Connection(socket, {
      log,
      onClosed: () => this.#onClosed(connection),
      onFrame: (frame) => {
        if (isGreeted) this.#onFrame(connection, frame);
        else this.#greet(frame);
        isGreeted = true;
      },
    });
    const generation = this.#generation;
    connection.send('hello', {}, encodeHello({ ...protocol, version, generation }));
  }

  #greet(frame: Frame): void {
    if (frame.type !== 'hello') throw new ProtocolError(`${frame.type} before hello`);
    const { min, max, version } = decodeHello(frame.payload);
    if (min <= protocol.max && max >= protocol.min) return;
    throw new ProtocolError(`hello of vtr ${version}, whose protocol is ${min} to ${max}`);
  }

  /** Without a coordinator nobody could reach the sessions, so they end. */
  #onClosed(connection: Connection): void {
    if (connection !== this.#coordinator) return;
    this.#coordinator = null;
    for (const session of this.#sessions.values()) session.discard();
    const { host, log, onEnd } = this.#options;
    if (!this.#hasEnded) log('the coordinator is gone: ending all sessions');
    host
      .close({ force: true })
      .catch((error: Error) => log(error.message))
      .then(onEnd);
  }

  async #end(options: EndOptions): Promise<void> {
    for (const session of this.#sessions.values()) session.resume();
    await this.#options.host.close(options);
    await Promise.all([...this.#sessions.values()].map((session) => session.drained()));
    this.#hasEnded = true;
  }

  #onFrame(connection: Connection, frame: Frame): void {
    if (frame.type === 'take') {
      this.#take(connection);
      return;
    }
    if (connection !== this.#coordinator) throw new ProtocolError(`${frame.type} before take`);
    if (frame.type === 'ack') this.#acknowledge(frame);
    else if (frame.session === 0) this.#onHostFrame(connection, frame);
    else this.#onSessionFrame(connection, frame);
  }

  #take(connection: Connection): void {
    const before = this.#coordinator;
    this.#coordinator = connection;
    before?.send('superseded', {});
    before?.close();
    for (const session of this.#sessions.values()) session.follow(connection);
  }

  #acknowledge({ payload }: Frame): void {
    const fields = new Fields(payload);
    while (fields.left > 0) {
      const id = fields.u32();
      const offset = fields.offset();
      this.#sessions.get(id)?.acknowledge(offset);
    }
    this.#window.serve();
  }

  #onHostFrame(connection: Connection, { type, request, payload }: Frame): void {
    if (type === 'spawn') {
      const wanted = decodeJson(payload) as unknown as PtySpawnRequest;
      this.#answer(connection, request, () => this.#spawn(connection, request, wanted));
    } else if (type === 'ask') {
      this.#answer(connection, request, async () => {
        this.#listed = await this.#options.host.listProcesses();
        connection.answer(request, this.#listed);
      });
    } else if (type === 'bye') {
      const options = decodeJson(payload) as EndOptions;
      this.#answer(connection, request, async () => {
        await this.#end(options);
        connection.answer(request, {});
      });
    } else {
      throw new ProtocolError(`${type} without a session`);
    }
  }

  async #spawn(connection: Connection, request: number, wanted: PtySpawnRequest): Promise<void> {
    const { host, now } = this.#options;
    const pty = await host.spawn(wanted);
    this.#lastId++;
    const id = this.#lastId;
    const session = new KeptSession({ id, pty, window: this.#window, limit: this.#limit, now });
    this.#sessions.set(id, session);
    const { pid, program } = pty;
    connection.send('started', { request, session: id }, encodeJson({ pid, program }));
    session.follow(connection);
  }

  #onSessionFrame(connection: Connection, frame: Frame): void {
    const { type, request, payload } = frame;
    const session = this.#sessions.get(frame.session);
    if (session === undefined) {
      const gone = new VtrError('SESSION_NOT_RUNNING', 'the PTY host does not have the session');
      if (request !== 0) connection.fail(request, gone);
      return;
    }
    const fields = new Fields(payload);
    if (type === 'write') {
      const pausesAt = Array.from({ length: fields.u32() }, () => fields.u32());
      const bytes = new Uint8Array(fields.rest());
      this.#answer(connection, request, async () => {
        const receipt = await session.write(request, bytes, pausesAt);
        connection.send('written', { request }, encodeFields({ u32: receipt.lineCutAtBytes ?? 0 }));
      });
    } else if (type === 'abort') {
      session.withdraw(request);
    } else if (type === 'resize') {
      const size: Size = { cols: fields.u16(), rows: fields.u16() };
      this.#answer(connection, request, async () => {
        const value = await session.resize(request, size);
        if (value !== null) connection.answer(request, { value });
      });
    } else if (type === 'note') {
      const offset = fields.offset();
      session.note(decodeJson(fields.rest())['note'] as Note, offset);
    } else if (type === 'fetch') {
      const [from, to] = [fields.offset(), fields.offset()];
      this.#answer(connection, request, () => fetch(connection, request, session, from, to));
    } else if (type === 'forget') {
      this.#forget(session);
    } else if (type === 'ask') {
      const question = decodeJson(payload) as unknown as Question;
      this.#answer(connection, request, async () => {
        connection.answer(request, { value: (await this.#ask(session, question)) ?? null });
      });
    } else {
      throw new ProtocolError(`${type} for a session`);
    }
  }

  #ask(session: KeptSession, question: Question): unknown {
    const { pty } = session;
    switch (question.ask) {
      case 'foreground':
        return pty.foreground(question.listed ? this.#listed : undefined);
      case 'modes':
        return pty.modes(question.listed ? this.#listed : undefined);
      case 'directory':
        return pty.directory(question.pid);
      case 'signal':
        return pty.signal(question.signal, question.target);
      case 'end':
        session.resume();
        return pty.end(question.options);
      case 'pause':
        return session.pause();
      case 'resume':
        return session.resume();
      default:
        return this.#askPlain(session, question.ask);
    }
  }

  #askPlain({ pty }: KeptSession, ask: PlainQuestion): unknown {
    switch (ask) {
      case 'usage':
        return pty.usage();
      case 'pss':
        return pty.pssBytes();
      case 'suspend':
        return pty.suspend();
      case 'continue':
        return pty.continue();
      default:
        throw new VtrError('INVALID_ARGUMENT', `the PTY host has no question ${String(ask)}`);
    }
  }

  #forget(session: KeptSession): void {
    session.dispose();
    this.#sessions.delete(session.id);
  }

  /** Sends the error of a request that fails. It affects nothing else. */
  #answer(connection: Connection, request: number, handle: () => Promise<void>): void {
    handle().catch((error) => {
      const failure = asVtrError(error);
      if (failure.code === 'INTERNAL_ERROR') this.#options.log(`fault: ${String(error)}`);
      connection.fail(request, failure);
    });
  }

  #pumpAll(): void {
    for (const session of this.#sessions.values()) session.pump();
  }
}

type PlainQuestion = 'usage' | 'pss' | 'suspend' | 'continue';

/** The questions about a session whose answer is a value. */
export type Question =
  | { readonly ask: 'foreground' | 'modes'; readonly listed: boolean }
  | { readonly ask: 'directory'; readonly pid: number }
  | { readonly ask: 'signal'; readonly signal: SignalName; readonly target: SignalTarget }
  | { readonly ask: 'end'; readonly options: EndOptions }
  | { readonly ask: 'pause' | 'resume' }
  | { readonly ask: PlainQuestion };

/** Sends raw output, as much as fits into an answer. */
async function fetch(
  connection: Connection,
  request: number,
  { pty }: KeptSession,
  from: number,
  to: number,
): Promise<void> {
  const kept = await pty.keptOutput(from);
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const { offset, bytes } of kept) {
    const part = bytes.subarray(0, Math.max(0, Math.min(to - offset, maxFetchBytes - length)));
    parts.push(part);
    length += part.length;
  }
  const offset = kept[0]?.offset ?? to;
  connection.send('fetched', { request }, encodeFields({ offset }), ...parts);
}

class SharedLimit {
  readonly #onReleased: () => void;
  #bytes = 0;

  constructor(onReleased: () => void) {
    this.#onReleased = onReleased;
  }

  get isReached(): boolean {
    return this.#bytes > maxAllBytes;
  }

  add(bytes: number): void {
    const wasReached = this.isReached;
    this.#bytes += bytes;
    if (wasReached && !this.isReached) this.#onReleased();
  }
}
