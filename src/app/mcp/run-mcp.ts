import { dirname, join } from 'node:path';
import { OwnCoordinator, type OwnCoordinatorOptions } from '#app/client';
import type { Log } from '#base';
import type { UserEnvironment } from '#config';
import { asVtrError, type Coordinator, defaultPromptPattern, VtrError } from '#model';
import {
  type McpOptions,
  Service,
  type SessionHost,
  type Streams,
  serveOnStdio,
  serveOnStreams,
} from '#wire/mcp';
import { type HttpRun, runHttp } from './run-http.ts';

export interface McpRun extends Pick<OwnCoordinatorOptions, 'reach'> {
  /** Socket or address of the coordinator. */
  readonly socket: string;
  /** The user's own socket on this machine: files are made next to it. */
  readonly localSocket: string;
  readonly user: UserEnvironment;
  readonly version: string;
  readonly options: McpOptions;
  /** Whether the sessions live in this process and end with it. */
  readonly embedded: boolean;
  readonly log: Log;
  /** Serves by HTTP. Without it and `streams`, the client is at stdin and stdout. */
  readonly http?: HttpRun;
  /** The streams of the client. */
  readonly streams?: Streams;
}

/** Serves a host on stdin and stdout until it disconnects, or clients by HTTP. A signal ends both. */
export async function runMcp(run: McpRun): Promise<void> {
  let isStopped = false;
  const stop = new Promise<void>((resolve) => {
    const end = () => {
      isStopped = true;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  });
  await serveMcp(run, stop);
  // Answers that the host does not read would keep the process alive.
  if (isStopped && process.stdout.writableLength > 0) process.exit();
}

/** Serves until the host disconnects or `stop` resolves. */
export async function serveMcp(run: McpRun, stop: Promise<void>): Promise<void> {
  await checkPromptPattern(run.options);
  await (run.embedded ? serveEmbedded(run, stop) : serveDaemon(run, stop));
}

/** Checks the pattern at start, because every wait for a prompt would fail. @throws VtrError INVALID_PATTERN */
async function checkPromptPattern({ promptPattern }: McpOptions): Promise<void> {
  if (promptPattern === null || promptPattern === defaultPromptPattern) return;
  const { checkPattern } = await import('#app/daemon');
  try {
    checkPattern(promptPattern);
  } catch (error) {
    const { code, message } = asVtrError(error);
    throw new VtrError(code, `the prompt pattern ${message}`, { cause: error });
  }
}

function serve(run: McpRun, host: SessionHost, stop: Promise<void>): Promise<void> {
  const { options, log, http, localSocket: socket, streams } = run;
  const service = new Service(host, options, log);
  if (http !== undefined) return runHttp(service, { ...http, socket, stop });
  return streams === undefined
    ? serveOnStdio(service, stop)
    : serveOnStreams(service, streams, stop);
}

async function serveDaemon(run: McpRun, stop: Promise<void>): Promise<void> {
  const host = new OwnCoordinator({ ...run, client: 'mcp' });
  try {
    await serve(run, host, stop);
  } finally {
    await host.close();
  }
}

/** Runs a coordinator in this process, with a socket for other clients. */
async function serveEmbedded(run: McpRun, stop: Promise<void>): Promise<void> {
  const { user, version, log } = run;
  const { termcp } = run.options;
  const socket = join(dirname(run.localSocket), `mcp-${process.pid}.sock`);
  const { checkProgram, embedCoordinator } = await import('#app/daemon');
  // Checked at start, because every session would fail.
  if (termcp !== null) await checkProgram(termcp.program, termcp.cwd, user.env['PATH']);
  const say = (line: string) => log('info', line);
  const embedded = await embedCoordinator({ socket, user, version, log: say, client: 'mcp' });
  try {
    await serve(run, hostOf(embedded.coordinator), stop);
  } finally {
    await embedded.close();
  }
}

const hostOf = (coordinator: Coordinator): SessionHost => ({
  reach: async () => coordinator,
  start: async () => coordinator,
});
