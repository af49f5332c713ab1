import type { Socket } from 'node:net';
import { type Clock, ownTimers, toDisposable } from '#base';
import { peerUid } from '#libc';
import { createPtyHost, type ReadTime } from '#pty';
import { mayConnect } from '#trust';
import { LastingListener } from './lasting-listener.ts';
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
  const server = new PtyServer({ host, version, now, clock, log, onEnd: exit });
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

/** CLOCK_MONOTONIC at the origin of `performance.now`, in ms. */
const originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

function now(): ReadTime {
  return { wallMs: Date.now(), bootMs: originMs + performance.now() };
}
