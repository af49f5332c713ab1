import { renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Clock, toDisposable } from '#base';
import { createPtyHost, type ReadTime } from '#pty';
import { PtyServer } from './pty-server.ts';

export interface PtydOptions {
  /** Path of the socket, in a directory that only this user may enter. */
  readonly socket: string;
  readonly version: string;
  /** Called when the host listens. */
  readonly onListening: () => void;
}

/** Only the owner may connect. */
const privateMask = 0o177;

/** Runs a PTY host in this process, which exits when it has no purpose any more. */
export function runPtyd({ socket, version, onListening }: PtydOptions): void {
  const log = (line: string) => process.stderr.write(`vtr-ptyd ${process.pid}: ${line}\n`);
  const report = (error: unknown) =>
    log(`fault: ${error instanceof Error ? error.stack : String(error)}`);
  const exit = () => {
    rmSync(socket, { force: true });
    process.exit(0);
  };
  // An exit would end every session.
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
  process.stderr.on('error', () => {});

  const host = createPtyHost({ onListenerError: report });
  const server = new PtyServer({ host, version, now, clock, log, onEnd: exit });
  const listener = createServer((connection) => server.accept(connection));
  listener.once('error', (error) => {
    log(`cannot listen at ${socket}: ${error.message}`);
    process.exit(1);
  });
  const umask = process.umask(privateMask);
  // A socket that exists at its path must accept connections.
  const unready = `${socket.slice(0, -1)}n`;
  listener.listen(unready, () => {
    renameSync(unready, socket);
    onListening();
  });
  // Programs inherit it.
  process.umask(umask);

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      log(`${signal}: ending all sessions`);
      host.close().then(exit, exit);
    });
  }
}

const clock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
  afterPendingIo(run) {
    const immediate = setImmediate(run);
    return toDisposable(() => clearImmediate(immediate));
  },
};

function now(): ReadTime {
  return { wallMs: Date.now(), bootMs: Number(process.hrtime.bigint()) / 1e6 };
}
