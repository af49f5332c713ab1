import { dirname, join } from 'node:path';
import type { Place } from '#config';
import type { Coordinator } from '#model';
import { type McpOptions, type SessionHost, serveOnStdio } from '#wire/mcp';
import { DaemonHost } from './daemon-host.ts';

export interface McpRun {
  /** Of the user's own coordinator. */
  readonly socket: string;
  readonly place: Place;
  readonly version: string;
  readonly options: McpOptions;
  /** Lines that sessions keep, where they live in this process; else their daemon knows. */
  readonly scrollbackLimit?: number;
  /** Whether the sessions live in this process, and end with it. */
  readonly embedded: boolean;
  readonly startDaemon: () => Promise<unknown>;
  readonly log: (level: 'error' | 'info', line: string) => void;
}

/** Serves a host at stdin and stdout until it goes, or until a signal comes. */
export async function runMcp(run: McpRun): Promise<void> {
  const stop = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => resolve());
    }
  });
  await (run.embedded ? serveEmbedded(run, stop) : serveDaemon(run, stop));
}

const faultsTo = (log: McpRun['log']) => (error: Error) => log('error', error.message);

async function serveDaemon(run: McpRun, stop: Promise<void>): Promise<void> {
  const { socket, options, startDaemon, log } = run;
  const host = new DaemonHost(socket, startDaemon);
  await serveOnStdio(host, { options, onFault: faultsTo(log), stop });
  await host.close();
}

/** The sessions are here, and people find them at a socket all the same. */
async function serveEmbedded(run: McpRun, stop: Promise<void>): Promise<void> {
  const { place, version, options, scrollbackLimit, log } = run;
  const socket = join(dirname(run.socket), `mcp-${process.pid}.sock`);
  const { runDaemon } = await import('#app/daemon');
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  const coordinator = await new Promise<Coordinator>((resolve, reject) => {
    ended = runDaemon({
      socket,
      place,
      version,
      log: (line) => log('info', line),
      onServing: resolve,
      until: left,
      ...(scrollbackLimit === undefined ? {} : { scrollbackLimit }),
    });
    ended.catch(reject);
  });
  log('info', `sessions at ${socket}`);
  await serveOnStdio(hostOf(coordinator), { options, onFault: faultsTo(log), stop });
  leave();
  await ended;
}

const hostOf = (coordinator: Coordinator): SessionHost => ({
  reach: async () => coordinator,
  start: async () => coordinator,
});
