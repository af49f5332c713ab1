import { flow } from '#model';
import type { OwnedPty, WriteOptions, WriteReceipt } from '#pty';
import { decodeData, encodeDataHeader, type Frame, flooding, lazy } from '#pty/hosted';
import { KeptSession, type OutputKind } from '../../../src/app/ptyd/kept-session.ts';
import { SavedMemory } from '../../../src/app/ptyd/saved-memory.ts';
import type { OutputStep } from '../../../src/app/ptyd/step-log.ts';
import { SharedLimit, Window } from '../../../src/app/ptyd/window.ts';
import { ReceivedFrames } from '../../../src/pty/hosted/received-frames.ts';
import { ReadScheduler, ScheduledReader } from '../../../src/pty/io/read-scheduler.ts';
import { FakePty } from '../pty/fake-pty.ts';
import { runUntil, SimulatedProcess } from './simulated-process.ts';

/** What work takes, in ms: about as on a slow machine. */
const readMs = 0.01;
const sendMs = 0.01;
const handleMs = 0.02;
/** 25 MB/s are applied to a terminal. */
const byteMs = 1 / 25_000;
const socketMs = 0.02;
/** A program that floods writes at least this much at once. */
const leastWriteBytes = 1_024;
/** So often libuv reads a stream in a row. */
const readsInARow = 32;

const empty = new Uint8Array(0);

/** A program: it has output all the time, or only that of `print`. */
class SimulatedProgram extends FakePty implements OwnedPty {
  hasSmallReads = false;
  readonly #host: SimulatedProcess;
  readonly #reader: ScheduledReader;
  readonly #page = new Uint8Array(64 * 1024);
  #at = 0;
  #isRead = true;
  #isEndless = false;
  #isPlanned = false;
  #bytesPerMs = 0;
  /** What is in the kernel's buffer, at a time. */
  #written = 0;
  #writtenAtMs = 0;

  constructor(host: SimulatedProcess, scheduler: ReadScheduler) {
    super();
    this.#host = host;
    this.#reader = new ScheduledReader(scheduler, () => this.#readSoon());
  }

  /** Writes without end from now on, up to a rate, whenever the kernel takes it. */
  flood(bytesPerMs = 10_000): void {
    this.#bytesPerMs = bytesPerMs;
    this.#isEndless = true;
    this.#readSoon();
  }

  override write(bytes: Uint8Array, options: WriteOptions): Promise<WriteReceipt> {
    this.#reader.typed();
    return super.write(bytes, options);
  }

  /** Writes a few bytes, which are read at once. */
  print(bytes: number): void {
    this.#reader.take(false, () => this.#deliver(bytes));
  }

  holdBack(): void {
    this.#isRead = false;
  }

  override resume(): void {
    this.#isRead = true;
    this.#readSoon();
  }

  #readSoon(inMs = 0): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#host.after(inMs, () => {
      this.#isPlanned = false;
      this.#read();
    });
  }

  #read(): void {
    for (let count = 0; count < readsInARow; count++) {
      if (!this.#isRead || !this.#isEndless || this.#reader.isQueued) return;
      const { sharedReadBytes } = flow.reading;
      const room = this.hasSmallReads ? sharedReadBytes : this.#reader.readBytes;
      this.#write();
      const bytes = Math.min(room, Math.floor(this.#written));
      if (bytes < leastWriteBytes) {
        this.#readSoon(leastWriteBytes / this.#bytesPerMs);
        return;
      }
      this.#written -= bytes;
      if (!this.#reader.take(bytes === room, () => this.#deliver(bytes))) return;
    }
    this.#readSoon();
  }

  /** The program writes until the kernel's buffer is full. */
  #write(): void {
    const nowMs = this.#host.nowMs();
    this.#written = Math.min(
      flow.reading.wholeReadBytes,
      this.#written + (nowMs - this.#writtenAtMs) * this.#bytesPerMs,
    );
    this.#writtenAtMs = nowMs;
  }

  #deliver(bytes: number): void {
    if (this.#at + bytes > this.#page.length) this.#at = 0;
    this.#host.work(readMs);
    this.output(this.#page.subarray(this.#at, this.#at + bytes));
    this.#at += bytes;
    this.dropOutput();
  }
}

/** A session, in both processes. */
interface SimulatedSession {
  readonly program: SimulatedProgram;
  readonly session: KeptSession;
  /** What the coordinator has handled, in bytes. */
  handled: number;
  savedTo: number;
  /** Called when output is handled. */
  onHandled: () => void;
}

/**
 * A PTY host and a coordinator with sessions, on two processors: what decides when output is read, sent, handled and
 * acknowledged is that of vtr; programs, the socket between both and the terminals are simulated.
 */
export class SimulatedFlow {
  readonly host = new SimulatedProcess();
  readonly coordinator = new SimulatedProcess();
  readonly sessions: SimulatedSession[] = [];
  /** The most bytes that were sent and not acknowledged, of all sessions. */
  mostInFlight = 0;
  readonly #scheduler = new ReadScheduler(this.host);
  readonly #window = new Window(() => this.host.nowMs());
  readonly #limit = new SharedLimit(() => {
    for (const { session } of this.sessions) session.pump();
  });
  readonly #memory = new SavedMemory();
  #inFlight = 0;
  readonly #acknowledged = new Map<number, number>();
  /** What the coordinator has not read of the socket. */
  #socket: Buffer[] = [];
  #isReading = true;
  #isReadPlanned = false;

  readonly #received = new ReceivedFrames({
    loop: this.coordinator,
    sessionOf: ({ session }) => session,
    handle: (frame) => this.#handle(frame),
    acknowledge: (entries) => this.#atHost(() => this.#acknowledge(entries)),
    resume: () => {
      this.#isReading = true;
      this.#readSoon(this.coordinator.nowMs());
    },
    onFault: (error) => {
      throw error;
    },
  });

  /** Adds a session, whose program has no output yet. */
  open(): SimulatedSession {
    const { host } = this;
    const id = this.sessions.length + 1;
    const program = new SimulatedProgram(host, this.#scheduler);
    const keptSession = new KeptSession({
      id,
      pty: program,
      window: this.#window,
      limit: this.#limit,
      memory: this.#memory,
      facts: empty,
      now: () => ({ wallMs: host.nowMs(), bootMs: host.nowMs() }),
      loop: host,
      onExit() {},
    });
    const session = { program, session: keptSession, handled: 0, savedTo: 0, onHandled() {} };
    this.sessions.push(session);
    this.#received.addSession(id, 0);
    keptSession.attach(
      {
        output: (_session, step, kind) => this.#send(id, step, kind),
        step() {},
        paused() {},
        replayed() {},
        dropped() {},
      },
      true,
    );
    keptSession.follow();
    return session;
  }

  /** Runs until a time, in ms. */
  run(untilMs: number): void {
    runUntil(untilMs, [this.host, this.coordinator]);
  }

  /**
   * Types a key at a time.
   *
   * @param onEcho called with the ms until the coordinator has handled the echo
   * @param programMs how long the program takes to echo it
   */
  type(
    session: SimulatedSession,
    atMs: number,
    onEcho: (ms: number) => void,
    programMs = 0.1,
  ): void {
    const id = this.sessions.indexOf(session) + 1;
    this.coordinator.at(atMs, () => {
      const typedMs = this.coordinator.nowMs();
      this.#received.typed(id);
      session.onHandled = () => onEcho(this.coordinator.nowMs() - typedMs);
      this.#atHost(() => {
        void session.session.write(1, Uint8Array.of(97), {});
        this.host.after(programMs, () => session.program.print(1));
      });
    });
  }

  #send(session: number, step: OutputStep, { isLazy, floods }: OutputKind): void {
    this.host.work(sendMs);
    const flags = (isLazy ? lazy : 0) | (floods ? flooding : 0);
    this.#socket.push(encodeDataHeader(session, step, flags), Buffer.from(step.bytes));
    this.#inFlight += step.bytes.length;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    this.#readSoon(this.host.nowMs() + socketMs);
  }

  #readSoon(atMs: number): void {
    if (this.#isReadPlanned || !this.#isReading) return;
    this.#isReadPlanned = true;
    this.coordinator.at(atMs, () => {
      this.#isReadPlanned = false;
      this.#readSocket();
    });
  }

  #readSocket(): void {
    while (this.#isReading && this.#socket.length > 0) {
      const all = Buffer.concat(this.#socket);
      const { readBytes } = flow.receiving;
      this.#socket = all.length > readBytes ? [all.subarray(readBytes)] : [];
      this.#isReading = this.#received.receive(all.subarray(0, readBytes));
    }
  }

  #handle({ session: id, flags, payload }: Frame): void {
    const { offset, bytes } = decodeData(payload);
    const session = this.#session(id);
    this.coordinator.work(handleMs + bytes.length * byteMs);
    session.handled = offset + bytes.length;
    session.onHandled();
    this.#received.consume(id, session.handled, (flags & lazy) !== 0);
    if (session.handled - session.savedTo < flow.saving.stateBytes) return;
    session.savedTo = session.handled;
    const state = { offset: session.handled, steps: 0, bytes: empty };
    this.#atHost(() => session.session.save({ state }));
  }

  #acknowledge(entries: readonly { readonly session: number; readonly offset: number }[]): void {
    for (const { session, offset } of entries) {
      this.#inFlight -= offset - (this.#acknowledged.get(session) ?? 0);
      this.#acknowledged.set(session, offset);
      this.#session(session).session.acknowledge(offset);
    }
    this.#window.serve();
  }

  #atHost(run: () => void): void {
    this.host.at(this.coordinator.nowMs() + socketMs, run);
  }

  #session(id: number): SimulatedSession {
    const session = this.sessions[id - 1];
    if (session === undefined) throw new Error(`there is no session ${id}`);
    return session;
  }
}
