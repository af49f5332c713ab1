// The PTY host, a process of its own: `vtr-ptyd SOCKET VERSION`. It is started by a coordinator, and
// writes a line to stdout when it listens.
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createPtyHost } from '#pty';
import { PtyServer } from './pty-server.ts';
import type { ReadTime } from './step-log.ts';

/** The time for the coordinator to connect, in ms. */
const connectTimeoutMs = 10_000;
/** Only the owner may connect. */
const privateMask = 0o177;

const [socket, version] = process.argv.slice(2);
if (socket === undefined || version === undefined) {
  process.stderr.write('usage: vtr-ptyd SOCKET VERSION\n');
  process.exit(2);
}

const log = (line: string) => process.stderr.write(`vtr-ptyd ${process.pid}: ${line}\n`);
const report = (error: unknown) =>
  log(`fault: ${error instanceof Error ? error.stack : String(error)}`);

// An exit would end every session.
process.on('uncaughtException', report);
process.on('unhandledRejection', report);
process.stderr.on('error', () => {});
process.stdout.on('error', () => {});

function now(): ReadTime {
  return { wallMs: Date.now(), bootMs: Number(process.hrtime.bigint()) / 1e6 };
}

function exit(): void {
  rmSync(socket as string, { force: true });
  process.exit(0);
}

const host = createPtyHost({ onListenerError: report });
const server = new PtyServer({ host, version, now, log, onEnd: exit });
const listener = createServer((connection) => server.accept(connection));
listener.once('error', (error) => {
  log(`cannot listen at ${socket}: ${error.message}`);
  process.exit(1);
});
const umask = process.umask(privateMask);
listener.listen(socket, () => process.stdout.end('ready\n'));
// Programs inherit it.
process.umask(umask);

setTimeout(() => {
  if (!server.hasCoordinator) exit();
}, connectTimeoutMs).unref();

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    log(`${signal}: ending all sessions`);
    host.close().then(exit, exit);
  });
}
