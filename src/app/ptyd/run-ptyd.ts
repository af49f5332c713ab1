import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createPtyHost } from '#pty';
import { PtyServer } from './pty-server.ts';
import type { ReadTime } from './step-log.ts';

export interface PtydOptions {
  /** Path of the socket, in a directory that only this user may enter. */
  readonly socket: string;
  readonly version: string;
  /** Called when the host listens. */
  readonly onListening: () => void;
}

/** The time for the coordinator to connect, in ms. */
const connectTimeoutMs = 10_000;
/** Only the owner may connect. */
const privateMask = 0o177;

/** Runs a PTY host in this process, which exits when its coordinator is gone. */
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
  const server = new PtyServer({ host, version, now, log, onEnd: exit });
  const listener = createServer((connection) => server.accept(connection));
  listener.once('error', (error) => {
    log(`cannot listen at ${socket}: ${error.message}`);
    process.exit(1);
  });
  const umask = process.umask(privateMask);
  listener.listen(socket, onListening);
  // Programs inherit it.
  process.umask(umask);

  setTimeout(() => server.hasCoordinator || exit(), connectTimeoutMs).unref();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      log(`${signal}: ending all sessions`);
      host.close().then(exit, exit);
    });
  }
}

function now(): ReadTime {
  return { wallMs: Date.now(), bootMs: Number(process.hrtime.bigint()) / 1e6 };
}
