import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { defined, ignored } from '#base';
import {
  checkSocketPath,
  ensurePrivateDirectory,
  readServerConfig,
  removeDaemonRecord,
  removeReportDirectory,
  reportSocketOf,
  stateDirectory,
  writeDaemonRecord,
} from '#config';
import type { LocalCoordinator } from '#coordinator';
import { peerPid, peerUid } from '#libc';
import {
  type Client,
  type Coordinator,
  callAs,
  callingClient,
  type RunCommand,
  type TmuxAnswer,
  type TmuxCalls,
  type TmuxControlAnswer,
  VtrError,
} from '#model';
import { checkFilesLeft, filesLeft, type RestartCommand } from '#pty/hosted';
import { thisUser } from '#trust';
import { GrpcServer, ReportServer } from '#wire/service';
import { DaemonCoordinator, leaves } from './daemon-coordinator.ts';
import { DaemonMetrics } from './daemon-metrics.ts';
import { DaemonWeb, loadSoon } from './daemon-web.ts';
import { listDirectories, withoutTilde } from './directories.ts';
import { listedKinds } from './listed-kinds.ts';
import { PrivateListener } from './private-listener.ts';
import { type StopReason, stopSignal, surviveFaults } from './process-events.ts';
import {
  accessOf,
  type Beginning,
  type BeginOptions,
  beginDaemon,
  privateMode,
} from './start/begin-daemon.ts';
import { writePidFile } from './start/process-identity.ts';
import { checkHostsRespond } from './start/pty-host-probes.ts';
import { showWork } from './stuck-process.ts';

export interface DaemonOptions extends BeginOptions {
  /** Absent: it begins now. */
  readonly beginning?: Beginning;
  readonly pidFile?: string;
  /** Runs the commands of callers that start sooner than Node.js. Absent: those start it. */
  readonly runCommand?: RunCommand;
  /** Absent: sessions end with this process. */
  readonly survival?: DaemonSurvival;
  readonly log: (line: string) => void;
  /** The client that uses the coordinator of `onServing`. Default: the daemon itself. */
  readonly client?: Client;
  /**
   * Called when the daemon ends with `restart` and nothing listens at its socket any more: the next one can be started,
   * and load its code, while this one saves and closes. It waits for the claim.
   *
   * @param program path of the command `vtr` that runs as the next daemon; default this one
   */
  readonly onLeaving?: (program?: string) => void;
  /** Called when the daemon accepts calls, with its coordinator. */
  readonly onServing: (coordinator: Coordinator) => void;
  /** Stops the daemon when it resolves, as a signal does. */
  readonly until?: Promise<unknown>;
}

/** How sessions outlive the daemon. */
interface DaemonSurvival {
  /** The command with which the PTY host starts a daemon if this one is killed; null: none. */
  readonly again: RestartCommand | null;
  /** Whether a supervisor starts the next daemon after a restart. */
  readonly inForeground: boolean;
  /** The flags that a later daemon needs, too. */
  readonly flags: readonly string[];
}

/**
 * How a daemon ended. `served_already`: another one serves the socket. `nothing_left`: see
 * {@link DaemonOptions.onlyIfLeft}.
 */
export interface DaemonEnd {
  readonly reason: StopReason | 'served_already' | 'nothing_left';
}

/** The time for open calls to receive their answers at the end. */
const closeGraceMs = 1000;
/** A connection, and what a call may open: while fewer files can be opened, no connection is accepted. */
const leastFiles = 5;

/**
 * Serves a coordinator at a socket until a signal or a call stops it. Then it ends every session with
 * its descendants, or leaves them to the next daemon; answers open calls, and removes its files.
 *
 * @throws VtrError as {@link beginDaemon}, IO_ERROR for a file that cannot be written
 */
export async function runDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { log } = options;
  const beginning = options.beginning ?? (await beginDaemon(options));
  if (typeof beginning === 'string') return { reason: beginning };
  let hasServed = false;
  const onServing: DaemonOptions['onServing'] = (coordinator) => {
    hasServed = true;
    options.onServing(coordinator);
  };
  try {
    return await serveUntilStopped({ ...options, onServing }, beginning);
  } finally {
    beginning.host?.abandon();
    attempt(() => beginning.claim.release(), log);
    if (hasServed) log('exited');
  }
}

async function serveUntilStopped(
  options: DaemonOptions,
  { config, claim, areLeft, host: launchedHost }: Beginning,
): Promise<DaemonEnd> {
  const { socket, user, version, log, survival = null } = options;
  const mode = config.socketMode;
  if (mode !== privateMode)
    log(
      `warning: mode ${mode.toString(8)} of ${socket}: members of its group can act as its owner`,
    );
  const stop = stopSignal(log, survival !== null && config.onSigterm === 'keep');
  options.until?.then(() => stop.now('stop'));
  const onFault = faultsTo(log);
  const faults = surviveFaults(onFault);
  const { client = { kind: 'vtr', pid: process.pid } } = options;
  let nowServing = () => {};
  const serving = new Promise<void>((resolve) => {
    nowServing = resolve;
  });
  loadSoon(socket);
  const own = { socket, user, config, version, log, onFault };
  const parts = { ...own, survival, launchedHost, client, serving };
  const sessions = await DaemonCoordinator.open(parts);
  // Its successor adopts the sessions of all hosts.
  sessions.onDeprived((how) => {
    if (how === 'disconnected')
      log('the connection to a PTY host was lost, and it lives: restarting');
    stop.now(how === 'disconnected' ? 'restart' : how);
  });
  if (survival?.inForeground === false) sessions.onResponding(() => stop.now('restart'));
  let program: string | undefined;
  const restart = async (path?: string) => {
    const asking = callingClient();
    sessions.checkOutlived();
    if (path !== undefined && !existsSync(path)) {
      throw new VtrError('INVALID_ARGUMENT', `${path} does not exist`);
    }
    await readServerConfig(user, options.configFile);
    await checkHostsRespond(socket);
    program = path;
    sessions.audit?.note('restart', {}, asking ?? undefined);
    stop.now('restart');
    return { inForeground: survival?.inForeground ?? true };
  };
  let ending: StopReason | null = null;
  stop.called.then((why) => {
    ending = why;
  });
  const checkServing = () => {
    if (ending === null) return;
    const details = leaves(ending) ? { restarting: true } : {};
    throw new VtrError('UNAVAILABLE', 'the coordinator is shutting down', { details });
  };
  const startedAtMs = Date.now();
  // The listener may bind the socket again; open connections stay.
  const door = createServer();
  const { audit } = sessions;
  const metrics = new DaemonMetrics({ sessions, version, startedAtMs });
  const web = new DaemonWeb({
    themeFile: config.webTheme,
    onLogin: (address, uid) =>
      audit?.note('web login', { details: { address, user: uid ?? undefined } }, { kind: 'web' }),
    onFile: ({ kind, file: { session, ...details }, by, at }) =>
      audit?.note(
        'web file',
        { session, by: by ?? undefined, details: { ...details, at } },
        { kind },
      ),
    onPush: (login, host) =>
      audit?.note('web push', { details: { login, host: host ?? undefined } }, { kind: 'web' }),
    socket,
    user,
    log,
    onFault,
    coordinator: sessions.served,
    calls: () => service.jsonCalls,
    push: { isOffered: config.webPush, services: config.webPushServices },
    onRefused: ({ kind, lacks, details, untold }) => {
      metrics.refusedRequests += 1 + untold;
      const described = { ...details, lacks, untold: untold || undefined };
      audit?.note('web refused', { details: described }, { kind }, 'NOT_ALLOWED');
    },
  });
  const tmux = new DaemonTmux({
    coordinator: sessions.served,
    onFault,
    withoutSecrets: sessions.coordinator.withoutSecrets,
  });
  const service: GrpcServer = new GrpcServer(sessions.served, door, {
    onFault,
    limits: { filesLeft },
    version,
    maxSnapshots: config.snapshotBuffer,
    peerPid: (connection) => peerPid(connection as Socket),
    ...(options.runCommand && {
      // A command reads the files of its caller: those of this user, not of a group that may connect.
      commands: {
        run: options.runCommand,
        mayRun: (connection: unknown) => peerUid(connection as Socket) === thisUser().uid,
      },
    }),
    web: audit === null ? web : audit.web(web),
    tmux,
    metrics: () => metrics.families(),
    daemon: {
      describe: () => {
        checkServing();
        const { host, persistence: persist, silentHosts, damaged } = sessions;
        const own = { version, pid: process.pid, startedAtMs, socketPath: socket };
        return { ...own, host, persist, silentHosts, damaged, audit: sessions.auditState };
      },
      stop: () => {
        audit?.note('stop');
        stop.now('stop');
      },
      restart,
      directories: listDirectories,
      agentKinds: async () => listedKinds(await sessions.agentKinds(), user.env),
      makeWorktree: async (directory, branch, from) => {
        const { makeWorktree } = await import('#git');
        const at = withoutTilde(directory);
        return makeWorktree({ env: user.env, say: log }, at, { branch, from });
      },
    },
  });
  // A start that fails must not end or remove sessions: also not those that cannot be listed, because
  // their host does not respond or their files cannot be read.
  let reason: StopReason = areLeft ? 'leave' : 'stop';
  const cleanUps: (() => void)[] = [];
  try {
    // First: who reaches the daemon finds the page served.
    await web.restore();
    const listener = await PrivateListener.open({
      path: socket,
      mode,
      onConnection: (connection: Socket) => void door.emit('connection', connection),
      log,
      onRemoved: () => {
        ensurePrivateDirectory(dirname(socket), accessOf(config));
        claim.renew();
      },
      onLost: () => stop.now('signal'),
    });
    cleanUps.push(() => listener.close());
    const reports = await listenForReports(socket, sessions, log, onFault);
    cleanUps.push(() => reports.close());
    checkFilesLeft(leastFiles);
    if (options.pidFile !== undefined) cleanUps.push(writePidFile(options.pidFile, socket));
    if (survival !== null) {
      const { flags, inForeground } = survival;
      writeDaemonRecord(socket, { flags, inForeground, state: stateDirectory(user, socket) });
    }
    options.onServing(sessions.served);
    nowServing();
    showWork();
    ignored(sessions.reviveAtStart(config), 'it logs what it cannot start');
    reason = await stop.called;
    // A sandbox may have that directory, which stays as long as the sessions.
    if (!leaves(reason)) cleanUps.push(() => removeReportDirectory(socket));
    if (!leaves(reason)) cleanUps.push(() => removeDaemonRecord(socket));
    return { reason };
  } finally {
    nowServing();
    // Before the sessions, whose end is not that of their panes.
    await tmux.close();
    // Sessions first, so that waiting clients receive the exit.
    await sessions.endSessions(reason);
    for (const cleanUp of cleanUps) attempt(cleanUp, log);
    if (reason === 'restart') options.onLeaving?.(program);
    // Begun first, so that the viewings of pages are left to the next daemon.
    const closing = service.close({ graceMs: closeGraceMs, restarting: leaves(reason) });
    await web.close(leaves(reason));
    await closing;
    await sessions.closeFiles(reason);
    stop.dispose();
    faults.dispose();
  }
}

/** Listens for reports of programs. Without them, the daemon serves all the same. */
async function listenForReports(
  socket: string,
  sessions: DaemonCoordinator,
  log: DaemonOptions['log'],
  onFault: (error: unknown) => void,
): Promise<{ close(): void }> {
  const path = reportSocketOf(socket);
  const { coordinator, served } = sessions;
  const server = new ReportServer({
    peerPid: (connection) => peerPid(connection),
    report: async (key, request, peer) => {
      // Hooks tell of which agent they are.
      const hook = request.agent === undefined ? null : peer;
      const session = await coordinator.sessionOfReports(key, hook);
      return callAs({ kind: 'report', ...defined({ pid: peer }) }, () =>
        served.report(session, request),
      );
    },
    onFault,
  });
  try {
    checkSocketPath(path);
    ensurePrivateDirectory(dirname(path));
    const listener = await PrivateListener.open({
      path,
      mode: privateMode,
      onConnection: (connection) => server.accept(connection),
      log,
      onRemoved: () => ensurePrivateDirectory(dirname(path)),
      onLost: () => {},
    });
    return {
      close: () => {
        listener.close();
        server.close();
      },
    };
  } catch (error) {
    log(`warning: programs cannot report what they do: ${(error as Error).message}`);
    return server;
  }
}

/** A file that cannot be removed must not keep the daemon from ending its sessions and connections. */
function attempt(cleanUp: () => void, log: DaemonOptions['log']): void {
  try {
    cleanUp();
  } catch (error) {
    log(`warning: ${(error as Error).message}`);
  }
}

const faultsTo = (log: DaemonOptions['log']) => (error: unknown) =>
  log(`fault: ${error instanceof Error ? error.stack : String(error)}`);

const loadRoom = () => import('#wire/tmux');

type TmuxServers = InstanceType<Awaited<ReturnType<typeof loadRoom>>['TmuxServers']>;

interface DaemonTmuxOptions {
  readonly coordinator: Coordinator;
  readonly onFault: (error: unknown) => void;
  /** Replaces secrets in what clients get; null if they get all. */
  readonly withoutSecrets: LocalCoordinator['withoutSecrets'];
}

/** The servers of the command `tmux`. Their room is loaded when it is first needed. */
class DaemonTmux implements TmuxCalls {
  readonly #options: DaemonTmuxOptions;
  #servers: Promise<TmuxServers> | null = null;

  constructor(options: DaemonTmuxOptions) {
    this.#options = options;
  }

  async run(...call: Parameters<TmuxCalls['run']>): Promise<TmuxAnswer> {
    return (await this.#loaded()).run(...call);
  }

  async control(...call: Parameters<TmuxCalls['control']>): Promise<TmuxControlAnswer> {
    return (await this.#loaded()).control(...call);
  }

  async close(): Promise<void> {
    const servers = await this.#servers?.catch(() => null);
    servers?.dispose();
  }

  #loaded(): Promise<TmuxServers> {
    const { coordinator, ...options } = this.#options;
    this.#servers ??= loadRoom().then(
      (room) => new room.TmuxServers(coordinator, { pid: process.pid, ...options }),
    );
    return this.#servers;
  }
}
