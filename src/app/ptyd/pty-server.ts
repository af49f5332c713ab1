import type { Socket } from 'node:net';
import { type Clock, defined, GarbageCollection } from '#base';
import { type EndOptions, VtrError } from '#model';
import type { OwningPtyHost, PtySpawnRequest, ReadTime } from '#pty';
import {
  decodeHello,
  decodeJson,
  encodeHello,
  encodeJson,
  encodeKept,
  Fields,
  type Frame,
  type HostFacts,
  limitsOfStart,
  overlaps,
  ProtocolError,
  protocol,
  type RestartCommand,
  rangeText,
  type Survival,
} from '#pty/hosted';
import { Connection } from './connection.ts';
import { KeptSession } from './kept-session.ts';
import { type Contents, Lifetime } from './lifetime.ts';
import { SavedMemory } from './saved-memory.ts';
import { checkStartLimit, SessionRequests } from './session-requests.ts';
import { SharedLimit, Window } from './window.ts';

export interface PtyServerOptions {
  readonly host: OwningPtyHost;
  readonly version: string;
  readonly now: () => ReadTime;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** The most memory of what coordinators save, in bytes; default 256 MiB. */
  readonly maxSavedBytes?: number;
  /** Collects the garbage of this process, for which everything else waits. Default: V8 does when the heap grows. */
  readonly collectGarbage?: () => void;
  /** Called when the host has no purpose any more, and all sessions have been ended. */
  readonly onEnd: () => void;
}

/** The most connections without the sessions. */
const maxOthers = 32;

/** A request to spawn, and until when it may be begun. */
type LimitedSpawn = PtySpawnRequest & { readonly startByMs?: number };

/** The connection whose sessions these are. */
interface Coordinator {
  readonly connection: Connection;
  readonly requests: SessionRequests;
  /** Null if all programs end when the connection ends. */
  readonly survival: Survival | null;
}

/** Serves pseudo-terminals to one coordinator. A newer one that takes them supersedes it. */
export class PtyServer {
  readonly #options: PtyServerOptions;
  readonly #startedAtMs: number;
  readonly #window: Window;
  readonly #sessions = new Map<number, KeptSession>();
  readonly #limit = new SharedLimit(() => this.#pumpAll());
  readonly #memory: SavedMemory;
  readonly #lifetime: Lifetime;
  readonly #garbage: GarbageCollection;
  /** How often input was written, or output acknowledged. */
  #exchanges = 0;
  #coordinator: Coordinator | null = null;
  /** Connections that have not taken the sessions, or do not have them any more; the oldest first. */
  readonly #others = new Set<Connection>();
  #lastId = 0;
  /** Whether the host is ended by request. */
  #isStopped = false;
  #isClosing = false;

  constructor(options: PtyServerOptions) {
    const { clock, now } = options;
    this.#options = options;
    this.#startedAtMs = now().wallMs;
    this.#memory = new SavedMemory(options.maxSavedBytes);
    this.#window = new Window(() => clock.nowMs());
    this.#lifetime = new Lifetime({
      clock,
      contents: () => this.#contents,
      start: (command) => options.host.startDetached(command),
      limits: () => limitsOfStart(),
      log: options.log,
      end: () => this.#close(),
    });
    this.#garbage = new GarbageCollection({
      clock,
      activity: () => this.#exchanges,
      collect: options.collectGarbage ?? (() => {}),
    });
  }

  /** Starts no coordinator any more. Resolves when those that have not connected yet have been killed. */
  endStarted(): Promise<void> {
    return this.#lifetime.dispose();
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
    this.#addOther(connection);
    const facts = { ...this.#facts };
    connection.send('hello', {}, encodeHello({ ...protocol, version, facts }));
  }

  #addOther(connection: Connection): void {
    const [oldest] = this.#others;
    if (this.#others.size >= maxOthers) oldest?.destroy();
    this.#others.add(connection);
  }

  get #facts(): HostFacts {
    const sessions = [...this.#sessions.values()];
    const exited = sessions.filter(({ hasExited }) => hasExited).length;
    return {
      pid: process.pid,
      startedAtMs: this.#startedAtMs,
      bootMs: this.#options.now().bootMs,
      hasCoordinator: this.#coordinator !== null,
      running: sessions.length - exited,
      exited,
      paused: sessions.filter(({ isStalled }) => isStalled).length,
    };
  }

  get #contents(): Contents {
    const { running, exited } = this.#facts;
    if (running > 0) return 'running programs';
    return exited > 0 ? 'exited programs' : 'nothing';
  }

  #greet(frame: Frame): void {
    if (frame.type !== 'hello') throw new ProtocolError(`${frame.type} before hello`);
    const hello = decodeHello(frame.payload);
    this.#lifetime.greeted(hello.facts['pid']);
    if (overlaps(hello)) return;
    const { version } = this.#options;
    throw new ProtocolError(
      `hello of vtr ${hello.version} with ${rangeText(hello)}, and vtr ${version} has ` +
        `${rangeText(protocol)}; to end it and its programs, run 'kill ${process.pid}'`,
    );
  }

  #onClosed(connection: Connection): void {
    this.#others.delete(connection);
    const before = this.#coordinator;
    if (before === null || connection !== before.connection) return;
    this.#coordinator = null;
    const { log } = this.#options;
    if (before.survival === null || this.#isStopped) {
      if (!this.#isStopped) log('the coordinator is gone: ending all sessions');
      this.#close();
      return;
    }
    log('the coordinator is gone: its programs run on');
    this.#leave(before.survival.again);
  }

  /** The programs run on without a coordinator. */
  #leave(again: RestartCommand | null): void {
    for (const session of this.#sessions.values()) session.detach();
    this.#lifetime.disconnected(again);
  }

  /** Ends all sessions, and then the host. */
  #close(): void {
    this.#isClosing = true;
    this.#garbage.dispose();
    const started = this.endStarted();
    for (const session of this.#sessions.values()) session.discard();
    const { host, log, onEnd } = this.#options;
    Promise.all([host.close({ force: true }), started])
      .catch((error: Error) => log(error.message))
      .then(onEnd);
  }

  async #end(options: EndOptions): Promise<void> {
    // The server stops even if the coordinator is killed meanwhile, or a process cannot be ended.
    this.#isStopped = true;
    this.#garbage.dispose();
    for (const session of this.#sessions.values()) session.ending();
    await this.#options.host.close(options);
    await Promise.all([...this.#sessions.values()].map((session) => session.drained()));
  }

  #onFrame(connection: Connection, frame: Frame): void {
    if (frame.type === 'ping') {
      connection.send('pong', {});
      return;
    }
    if (frame.type === 'take') {
      this.#take(connection, frame);
      return;
    }
    const coordinator = this.#coordinator;
    if (coordinator === null || connection !== coordinator.connection) {
      // Output was on its way when it left the programs, or another one took them.
      if (frame.type === 'ack') return;
      throw new ProtocolError(`${frame.type} before take`);
    }
    if (frame.type === 'ack') this.#acknowledge(frame);
    else if (frame.session === 0) this.#onHostFrame(coordinator, frame);
    else this.#onSessionFrame(coordinator, frame);
  }

  #take(connection: Connection, { request, payload }: Frame): void {
    if (this.#isClosing) throw new ProtocolError('take while it ends');
    const { survival = null } = decodeJson(payload) as { survival?: Survival | null };
    const before = this.#coordinator;
    const requests = new SessionRequests(connection, this.#options);
    this.#coordinator = { connection, requests, survival };
    this.#others.delete(connection);
    connection.taken();
    this.#lifetime.connected();
    if (before !== null && before.connection !== connection) this.#addOther(before.connection);
    before?.connection.send('superseded', {});
    before?.connection.close();
    for (const session of this.#sessions.values()) session.attach(connection, survival !== null);
    connection.answer(request, {});
  }

  #acknowledge({ payload }: Frame): void {
    this.#exchanges++;
    const fields = new Fields(payload);
    while (fields.left > 0) {
      const id = fields.u32();
      const offset = fields.offset();
      this.#sessions.get(id)?.acknowledge(offset);
    }
    this.#window.serve();
  }

  #onHostFrame(coordinator: Coordinator, { type, request, payload }: Frame): void {
    const { connection, requests } = coordinator;
    if (type === 'spawn') {
      const fields = new Fields(payload);
      const json = decodeJson(fields.bytes(fields.u32()));
      const facts = new Uint8Array(fields.rest());
      const { startByMs, ...program } = { ...json, facts } as unknown as LimitedSpawn;
      requests.answer(request, async () => {
        checkStartLimit(startByMs, this.#options.now().bootMs);
        await this.#spawn(coordinator, request, program);
      });
    } else if (type === 'list') {
      for (const session of this.#sessions.values()) {
        const target = { request, session: session.id };
        connection.sendLong('kept', target, encodeKept(session.describe()));
      }
      connection.answer(request, {});
    } else if (type === 'ask') {
      requests.answer(request, async () => {
        requests.listed = await this.#options.host.listProcesses();
        connection.answer(request, requests.listed);
      });
    } else if (type === 'bye') {
      const { keep = false, ...options } = decodeJson(payload) as EndOptions & { keep?: boolean };
      requests.answer(request, async () => {
        if (keep) this.#keepAll(coordinator);
        else await this.#end(options);
        connection.answer(request, {});
      });
    } else {
      throw new ProtocolError(`${type} without a session`);
    }
  }

  #keepAll({ connection }: Coordinator): void {
    if (this.#coordinator?.connection !== connection) return;
    this.#coordinator = null;
    this.#options.log('the coordinator has left; its programs run on');
    this.#leave(null);
  }

  async #spawn(
    coordinator: Coordinator,
    request: number,
    spawnRequest: PtySpawnRequest,
  ): Promise<void> {
    const { host, now } = this.#options;
    if (this.#memory.isFull) {
      throw new VtrError(
        'SYSTEM_LIMIT',
        'the PTY host has no memory left for the saved state of another session; remove some sessions',
      );
    }
    const pty = await host.spawn(spawnRequest);
    this.#lastId++;
    const session = new KeptSession({
      id: this.#lastId,
      pty,
      now,
      window: this.#window,
      limit: this.#limit,
      memory: this.#memory,
      facts: spawnRequest.facts ?? new Uint8Array(0),
      secrets: spawnRequest.secrets ?? [],
      ...defined({ logBytes: spawnRequest.logBytes }),
      onExit: () => this.#lifetime.changed(),
    });
    this.#sessions.set(session.id, session);
    this.#garbage.noteChange();
    const { connection } = coordinator;
    const { pid, program } = pty;
    connection.send('started', { request, session: session.id }, encodeJson({ pid, program }));
    const current = this.#coordinator;
    if (current === null) {
      this.#lifetime.changed();
      return;
    }
    session.attach(current.connection, current.survival !== null);
    // A newer coordinator learns of it by its next listing.
    if (current === coordinator) session.follow();
  }

  #onSessionFrame({ connection, requests }: Coordinator, frame: Frame): void {
    const session = this.#sessions.get(frame.session);
    if (session === undefined) {
      const gone = new VtrError('SESSION_NOT_RUNNING', 'the PTY host does not have the session');
      if (frame.request !== 0) connection.fail(frame.request, gone);
    } else if (frame.type === 'forget') {
      session.dispose();
      this.#sessions.delete(session.id);
      this.#garbage.noteChange();
    } else {
      if (frame.type === 'write') this.#exchanges++;
      requests.handle(session, frame);
    }
  }

  #pumpAll(): void {
    for (const session of this.#sessions.values()) session.pump();
  }
}
