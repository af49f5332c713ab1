import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, collectGarbage, machineMs, ownTimers, toDisposable } from '#base';
import { peerUid } from '#libc';
import { createPtyHost, type ReadTime } from '#pty';
import { mayConnect } from '#trust';
import { PtyServer } from './pty-server.ts';

export interface PtydOptions {
  /** Path of the socket, in a directory that only this user may enter. */
  readonly socket: string;
  readonly version: string;
  /** Called when the host listens. */
  readonly onListening: () => void;
}

/** The most raw output that is kept of all programs, in bytes. */
const maxLogBytes = 256 * 1024 * 1024;

/** Permission bits of the socket. */
const privateMode = 0o600;

/** Runs a PTY host in this process, which exits when it has no purpose any more. */
export function runPtyd({ socket, version, onListening }: PtydOptions): void {
  const log = (line: string) => process.stderr.write(`vtr-ptyd ${process.pid}: ${line}\n`);
  const report = (error: unknown) =>
    log(`fault: ${error instanceof Error ? error.stack : String(error)}`);
  const exit = () => {
    listener.close();
    process.exit(0);
  };
  // An exit would end every session.
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  process.stderr.on('error', () => {});

  const host = createPtyHost({ onListenerError: report, maxLogBytes });
  const collect = () => collectGarbage({ setFlagsFromString, runInNewContext });
  const parts = { host, version, now, clock, log, collectGarbage: collect };
  const server = new PtyServer({ ...parts, onEnd: exit });
  const onConnection = (connection: Socket) => {
    // Perhaps the coordinator was killed: the next one, which starts now, must find this host.
    connection.once('close', () => void listener.check());
    if (mayConnect(peerUid(connection), privateMode)) server.accept(connection);
    else connection.destroy();
  };
  const listener = new LastingListener({ path: socket, clock, log, onConnection });
  listener.open().then(onListening, (error: Error) => {
    log(`cannot listen at ${socket}: ${error.message}`);
    process.exit(1);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      log(`${signal}: ending all sessions`);
      Promise.all([host.close(), server.endStarted()]).then(exit, exit);
    });
  }
}

const clock: Clock = {
  ...ownTimers,
  wallMs: () => Date.now(),
  afterPendingIo(run) {
    const immediate = setImmediate(run);
    return toDisposable(() => clearImmediate(immediate));
  },
};

/** The time of the machine's clock at the origin of `performance.now`, in ms. */
const originMs = machineMs() - performance.now();

function now(): ReadTime {
  return { wallMs: Date.now(), bootMs: originMs + performance.now() };
}

export interface LastingListenerParts {
  /** Path of the socket, in a directory that only this user may enter. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly onConnection: (socket: Socket) => void;
}

/** How often the socket is checked, in ms. */
const checkMs = 30_000;
/** Only the owner may connect. */
const privateMask = 0o177;

/**
 * Listens at a path, and again if the socket was removed: systemd-tmpfiles removes old ones, and the
 * programs could not be reached any more.
 */
export class LastingListener {
  readonly #parts: LastingListenerParts;
  #server: Server | null = null;
  #isClosed = false;
  /** Whether {@link check} is at work. */
  #isListening = false;

  constructor(parts: LastingListenerParts) {
    this.#parts = parts;
  }

  /** Resolves when connections are accepted. Rejects if that is not possible. */
  async open(): Promise<void> {
    await this.#listen();
    this.#planCheck();
  }

  /** Stops listening, and removes the socket. Open connections stay. */
  close(): void {
    this.#isClosed = true;
    this.#server?.close();
    rmSync(this.#parts.path, { force: true });
  }

  /** Listens again if the socket was removed. Never rejects. */
  async check(): Promise<void> {
    const { path, log } = this.#parts;
    if (this.#isClosed || this.#isListening || existsSync(path)) return;
    this.#isListening = true;
    log(`${path} was removed: listening again`);
    await this.#listen().catch((error: Error) => log(error.message));
    this.#isListening = false;
  }

  #planCheck(): void {
    this.#parts.clock.schedule(checkMs, () => {
      if (this.#isClosed) return;
      void this.check();
      this.#planCheck();
    });
  }

  #listen(): Promise<void> {
    const { path, log, onConnection } = this.#parts;
    const server = createServer(onConnection);
    // A socket that exists at its path must accept connections.
    const unready = `${path.slice(0, -1)}n`;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const umask = process.umask(privateMask);
      server.listen(unready, () => {
        try {
          renameSync(unready, path);
        } catch (error) {
          // Node shortens a path that is too long.
          server.close();
          reject(error);
          return;
        }
        this.#server?.close();
        this.#server = server;
        server.off('error', reject);
        // Without a descriptor for it, the system closes a connection.
        server.on('error', ({ message }) => log(`a connection was closed: ${message}`));
        resolve();
      });
      // Programs inherit it.
      process.umask(umask);
    });
  }
}
