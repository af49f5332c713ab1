import { createServer, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import {
  checkSocketPath,
  ensurePrivateDirectory,
  readServerConfig,
  type ServerConfig,
  type UserEnvironment,
} from '#config';
import { LocalCoordinator, type LocalCoordinatorOptions, scrollbackLimits } from '#coordinator';
import type { Coordinator } from '#model';
import { GrpcServer } from '#wire/service';
import { type Claim, claimSocket } from './claim.ts';
import { isListening } from './is-served.ts';
import { writePidFile } from './pid-file.ts';
import { PrivateListener } from './private-listener.ts';
import { stopSignal, surviveFaults } from './process-events.ts';

export interface DaemonOptions {
  /** Absolute. */
  readonly socket: string;
  /** Whose environment sessions inherit. */
  readonly user: UserEnvironment;
  /** Must exist; the user's own, which need not, when absent. */
  readonly configFile?: string;
  readonly pidFile?: string;
  readonly version: string;
  readonly log: (line: string) => void;
  /** Called when calls are taken, with who takes them, for who is in this process. */
  readonly onServing: (coordinator: Coordinator) => void;
  /** Stops it, as a signal does. */
  readonly until?: Promise<unknown>;
}

/** It served until it was told to stop; or it never began, because somebody serves there already. */
export type DaemonEnd = 'ended' | 'served_already';

const privateMode = 0o600;
/** For answers to calls that run when everything ends. */
const farewellMs = 1000;

/**
 * Serves a coordinator at a socket until it is told to stop by a signal or by a call. Then every
 * session is ended with all that it started, calls that run are answered, and nothing is left.
 *
 * @throws VtrError UNAVAILABLE where it cannot listen there, INVALID_ARGUMENT for a bad
 * configuration; the message says what to do
 */
export async function runDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { socket, user, configFile, log } = options;
  const config = await readServerConfig(user, configFile);
  checkSocketPath(socket);
  ensurePrivateDirectory(dirname(socket));
  const claim = await claimSocket(socket, { isLive: () => isListening(socket) });
  if (claim === null) return 'served_already';
  try {
    await serveUntilStopped(options, config, claim);
    return 'ended';
  } finally {
    claim.release();
    log('ended');
  }
}

async function serveUntilStopped(
  options: DaemonOptions,
  config: ServerConfig,
  claim: Claim,
): Promise<void> {
  const { socket, user, version, log, onServing } = options;
  const mode = config.socketMode ?? privateMode;
  if (mode !== privateMode) log(`the group of ${socket} may do all that its owner may`);
  const stop = stopSignal(log);
  options.until?.then(stop.now);
  const faults = surviveFaults(faultsTo(log));
  const coordinator = new LocalCoordinator(coordinatorOptions(user, config, log));
  const startedAtMs = Date.now();
  // The listener may have to bind anew; who is served does not notice.
  const door = createServer();
  const service = new GrpcServer(coordinator, door, {
    onFault: faultsTo(log),
    ...(config.snapshotBuffer === undefined ? {} : { maxSnapshots: config.snapshotBuffer }),
    daemon: {
      describe: () => ({ version, pid: process.pid, startedAtMs, socketPath: socket }),
      stop: stop.now,
    },
  });
  const onConnection = (connection: Socket) => void door.emit('connection', connection);
  let removePidFile = () => {};
  const onRemoved = () => {
    ensurePrivateDirectory(dirname(socket));
    claim.renew();
  };
  const listener = await PrivateListener.open({
    path: socket,
    mode,
    onConnection,
    log,
    onRemoved,
    onLost: stop.now,
  });
  try {
    if (options.pidFile !== undefined) removePidFile = writePidFile(options.pidFile, socket);
    onServing(coordinator);
    await stop.called;
  } finally {
    // Sessions first: who waits for one is told how it ended.
    await coordinator.close().catch((error: Error) => log(error.message));
    listener.close();
    await service.close({ graceMs: farewellMs });
    removePidFile();
    stop.dispose();
    faults.dispose();
  }
}

function coordinatorOptions(
  { env }: UserEnvironment,
  config: ServerConfig,
  log: (line: string) => void,
): LocalCoordinatorOptions {
  const { maxSessions, maxKeptExited, defaultShell, scrollbackLimit } = config;
  const { shellIntegration, graphemeClusters } = config;
  return {
    ...(maxSessions === undefined ? {} : { maxSessions }),
    ...(maxKeptExited === undefined ? {} : { maxKeptExited }),
    defaults: {
      cwd: homedir(),
      environment: env,
      ...(defaultShell === undefined ? {} : { shell: defaultShell }),
      ...(shellIntegration === undefined ? {} : { shellIntegration }),
      ...(graphemeClusters === undefined ? {} : { graphemeClusters }),
      ...(scrollbackLimit === undefined ? {} : { scrollback: scrollbackLimits(scrollbackLimit) }),
    },
    onFault: faultsTo(log),
  };
}

const faultsTo = (log: DaemonOptions['log']) => (error: unknown) =>
  log(`fault: ${error instanceof Error ? error.stack : String(error)}`);
