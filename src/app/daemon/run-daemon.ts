import { createServer, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import {
  checkSocketPath,
  ensurePrivateDirectory,
  isListening,
  readServerConfig,
  type ServerConfig,
  type UserEnvironment,
} from '#config';
import { LocalCoordinator, type LocalCoordinatorOptions, scrollbackLimits } from '#coordinator';
import { type Coordinator, VtrError } from '#model';
import { GrpcServer } from '#wire/service';
import { type Claim, claimSocket } from './claim.ts';
import { type DaemonPtyHost, daemonPtyHost } from './daemon-pty-host.ts';
import { writePidFile } from './pid-file.ts';
import { PrivateListener } from './private-listener.ts';
import { stopSignal, surviveFaults } from './process-events.ts';

export interface DaemonOptions {
  /** Absolute path. */
  readonly socket: string;
  /** The environment that sessions inherit. */
  readonly user: UserEnvironment;
  /** Must exist. If absent, the user's own file, which need not exist. */
  readonly configFile?: string;
  readonly pidFile?: string;
  /**
   * Whether terminals are in a process of their own unless server.toml says otherwise; default false:
   * in this one.
   */
  readonly mayUsePtyHost?: boolean;
  readonly version: string;
  readonly log: (line: string) => void;
  /** Called when the daemon accepts calls, with its coordinator. */
  readonly onServing: (coordinator: Coordinator) => void;
  /** Stops the daemon when it resolves, as a signal does. */
  readonly until?: Promise<unknown>;
}

/** The daemon served until it was stopped, or another one already serves the socket. */
export type DaemonEnd = 'ended' | 'served_already';

const privateMode = 0o600;
/** The time for open calls to receive their answers at the end. */
const closeGraceMs = 1000;

/**
 * Serves a coordinator at a socket until a signal or a call stops it. Then it ends every session with
 * its descendants, answers open calls, and removes its files.
 *
 * @throws VtrError UNAVAILABLE if it cannot listen at the socket, INVALID_ARGUMENT for an invalid
 * configuration; the message has a hint
 */
export async function runDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { socket, user, configFile, log } = options;
  const config = await readServerConfig(user, configFile);
  checkSocketPath(socket);
  ensurePrivateDirectory(dirname(socket));
  const claim = await claimSocket(socket, { isLive: () => isListening(socket) });
  if (claim === null) return 'served_already';
  let hasServed = false;
  const onServing: DaemonOptions['onServing'] = (coordinator) => {
    hasServed = true;
    options.onServing(coordinator);
  };
  try {
    await serveUntilStopped({ ...options, onServing }, config, claim);
    return 'ended';
  } finally {
    claim.release();
    if (hasServed) log('exited');
  }
}

async function serveUntilStopped(
  options: DaemonOptions,
  config: ServerConfig,
  claim: Claim,
): Promise<void> {
  const { socket, user, version, log, onServing } = options;
  const mode = config.socketMode ?? privateMode;
  if (mode !== privateMode)
    log(
      `warning: mode ${mode.toString(8)} of ${socket}: members of its group can act as its owner`,
    );
  const stop = stopSignal(log);
  options.until?.then(stop.now);
  const faults = surviveFaults(faultsTo(log));
  const opened = openPtyHost(options, config);
  const coordinator = new LocalCoordinator({
    ...coordinatorOptions(user, config, log),
    ...(opened === null ? {} : { ptyHost: opened.ptyHost }),
  });
  const startedAtMs = Date.now();
  // The listener may bind the socket again; open connections stay.
  const door = createServer();
  const service = new GrpcServer(coordinator, door, {
    onFault: faultsTo(log),
    ...(config.snapshotBuffer === undefined ? {} : { maxSnapshots: config.snapshotBuffer }),
    daemon: {
      describe: () => ({
        version,
        pid: process.pid,
        startedAtMs,
        socketPath: socket,
        host: opened?.process() ?? null,
        persist: { state: 'stopped', reason: endWithDaemon },
      }),
      stop: stop.now,
      restart: () => {
        throw new VtrError('UNAVAILABLE', `${endWithDaemon}; end both with vtr serve --stop`);
      },
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
  }).catch(async (error) => {
    // Otherwise its PTY host would keep this process running.
    await coordinator.close();
    throw error;
  });
  try {
    if (options.pidFile !== undefined) removePidFile = writePidFile(options.pidFile, socket);
    onServing(coordinator);
    await stop.called;
  } finally {
    // Sessions first, so that waiting clients receive the exit.
    await coordinator.close().catch((error: Error) => log(error.message));
    listener.close();
    await service.close({ graceMs: closeGraceMs });
    removePidFile();
    stop.dispose();
    faults.dispose();
  }
}

const endWithDaemon = 'sessions end with the daemon';

/** Returns null if terminals are in this process. */
function openPtyHost(
  { socket, user, version, log, mayUsePtyHost = false }: DaemonOptions,
  { ptyHost: chosen = 'process' }: ServerConfig,
): DaemonPtyHost | null {
  if (!mayUsePtyHost || chosen === 'in_process') return null;
  try {
    const parts = { socket, version, env: user.env, log };
    return daemonPtyHost({ ...parts, onListenerError: faultsTo(log) });
  } catch (error) {
    log(`warning: terminals are in this process: ${(error as Error).message}`);
    return null;
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
