import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AgentKind } from '#agents';
import { Audit, Forwarder, forgetForwarded, forwardTarget, Trail } from '#audit';
import { collectGarbage, type Disposable, defined } from '#base';
import {
  archiveDirectory,
  auditDirectory,
  homeOf,
  recordingsDirectory,
  reportSocketOf,
  type ServerConfig,
  stateDirectory,
  type UserEnvironment,
} from '#config';
import {
  LocalCoordinator,
  type LocalCoordinatorOptions,
  type OwnAction,
  scrollbackLimits,
  systemClock,
} from '#coordinator';
import {
  type AuditState,
  asVtrError,
  type Client,
  type Coordinator,
  callByName,
  coordinatorOf,
  type Persistence,
  VtrError,
} from '#model';
import type { Deprival, PtyHostProcess, PtyHosts, RestartCommand } from '#pty/hosted';
import {
  ArchiveFiles,
  type CheckedStore,
  type ClearedStore,
  checkStore,
  clearStore,
  openStore,
  RecordingFiles,
  type SessionStore,
  type SkippedFile,
} from '#store';
import { bootId } from '#trust';
import { GitBranches } from './git-branches.ts';
import { KeptFiles } from './kept-files.ts';
import { type OpenedPtyHosts, onResponding, openPtyHosts } from './open-pty-hosts.ts';
import type { StopReason } from './process-events.ts';
import { isAlive, thisProcess } from './start/process-identity.ts';

export interface DaemonCoordinatorOptions {
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly config: ServerConfig;
  readonly version: string;
  /** A PTY host that was launched for this daemon; null: none. */
  readonly launchedHost: PtyHostProcess | null;
  /** Null: terminals are in this process, and sessions end with it. */
  readonly survival: { readonly again: RestartCommand | null } | null;
  /** Whose calls come from this process. */
  readonly client: Client;
  /** Resolves when the daemon accepts calls, or ends: sessions are restored in the background after that. */
  readonly serving: Promise<unknown>;
  readonly log: (line: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** The time to write what is not written yet: a disk can hang. In ms. */
const closeFilesMs = 5_000;

/** How many programs are started again at the same time: each of them may be an agent. */
const revivalsAtOnce = 4;

const endWithDaemon: Persistence = {
  state: 'stopped',
  reason: 'sessions end with the daemon, because their terminals are in its process',
};

/** The coordinator of a daemon, with its PTY hosts and the files of its sessions. */
export class DaemonCoordinator {
  readonly coordinator: LocalCoordinator;
  readonly #hosts: PtyHosts | null;
  readonly #store: SessionStore | null;
  readonly #archives: ArchiveFiles | null;
  readonly #keptFiles: KeptFiles;
  readonly #log: (line: string) => void;
  readonly #audit: AuditParts;
  /** Null without an audit trail. */
  readonly audit: Audit | null;
  /** The kinds of coding agents, of vtr and of the user's files. */
  readonly agentKinds: () => Promise<readonly AgentKind[]>;
  /** The coordinator for clients. */
  readonly served: Coordinator;
  readonly #unreachable: OpenedPtyHosts['unreachable'];
  #retrying: Disposable | null = null;

  private constructor(
    coordinator: LocalCoordinator,
    opened: OpenedPtyHosts | null,
    files: FilesOfSessions,
    auditParts: AuditParts,
    { client, log, agentKinds }: DaemonCoordinatorOptions & Pick<DaemonCoordinator, 'agentKinds'>,
  ) {
    this.coordinator = coordinator;
    this.agentKinds = agentKinds;
    this.#hosts = opened?.hosts ?? null;
    this.#unreachable = opened?.unreachable ?? [];
    this.#store = files.store;
    this.#archives = files.archives;
    this.#keptFiles = files.keptFiles;
    this.#log = log;
    this.#audit = auditParts;
    const { trail } = auditParts;
    this.audit = trail && auditOf(coordinator, trail, client);
    const recorded = this.audit?.coordinator(coordinator) ?? coordinator;
    const { silentHosts } = this;
    this.served = silentHosts === 0 ? recorded : incompleteCoordinator(recorded, silentHosts);
  }

  /** Opens it with the sessions that another daemon left, which can be listed at once. */
  static async open(options: DaemonCoordinatorOptions): Promise<DaemonCoordinator> {
    const { config, onFault } = options;
    const opened = await openHosts(options);
    const store = opened === null || config.persist === 'memory' ? null : storeOf(options, opened);
    const archives = config.archiveMaxBytes === 0 ? null : archivesOf(options);
    const auditParts = auditPartsOf(options);
    const { trail } = auditParts;
    const branches = new GitBranches();
    const keptFiles = new KeptFiles(options.user.env, options.log);
    const agentKinds = agentKindsOf(options, () => coordinator.agentKindsChanged());
    const coordinator: LocalCoordinator = new LocalCoordinator({
      ...coordinatorOptions(options),
      onFault,
      agentKinds,
      branchOf: (directory) => branches.of(directory),
      checkWorktree: async (session, worktree) => {
        const { checkNoWorkLeft } = await import('#git');
        return checkNoWorkLeft(options.user, session, worktree);
      },
      findConversations: async (search) => {
        const { findConversations } = await import('./agent-conversations.ts');
        return findConversations(options.user, search);
      },
      onRemoved: (ids) => keptFiles.remove(ids),
      ...(trail === null ? {} : { onOwnAction: (action) => noteOwn(trail, action) }),
      reportSocket: reportSocketOf(options.socket),
      collectGarbage: () => collectGarbage({ setFlagsFromString, runInNewContext }),
      ...defined({ ptyHost: opened?.hosts, store, archives }),
    });
    if (opened !== null) await coordinator.adopt(options.serving);
    // The archives of a host that does not answer are in use.
    if ((opened?.unreachable.length ?? 0) === 0) coordinator.removeLeftArchives();
    const files = { store, archives, keptFiles };
    return new DaemonCoordinator(coordinator, opened, files, auditParts, {
      ...options,
      agentKinds,
    });
  }

  /** The process in which programs are started; null if there is none. */
  get host(): { readonly pid: number; readonly version: string } | null {
    const newest = this.#hosts?.newest ?? null;
    return newest && { pid: newest.pid, version: newest.version };
  }

  /** The processes of all PTY hosts, also of those of other versions. */
  get hostPids(): readonly number[] {
    return this.#hosts?.pids ?? [];
  }

  get persistence(): Persistence {
    return this.#hosts === null ? endWithDaemon : this.coordinator.persistence;
  }

  /** @throws VtrError UNAVAILABLE if the sessions would end with the daemon */
  checkOutlived(): void {
    if (this.#hosts !== null) return;
    throw new VtrError('UNAVAILABLE', `${endWithDaemon.reason}; end both with vtr serve --stop`);
  }

  /** How many PTY hosts have sessions that are not listed: they do not respond, or cannot be used. */
  get silentHosts(): number {
    return this.#unreachable.filter(({ state, running }) => state === 'silent' || running > 0)
      .length;
  }

  /** Saved sessions that cannot be restored. */
  get damaged(): readonly SkippedFile[] {
    return this.#store?.damaged ?? [];
  }

  /** Null without an audit trail. */
  get auditState(): AuditState | null {
    const { trail, forwarder } = this.#audit;
    return trail && { ...trail.state, ...defined({ forward: forwarder?.state }) };
  }

  /** Calls `listener` when the programs of a host run on without this daemon. */
  onDeprived(listener: (how: Deprival) => void): void {
    this.#hosts?.onDeprived(listener);
  }

  /** Calls `listener` when a host responds whose sessions another daemon could adopt. */
  onResponding(listener: () => void): void {
    this.#retrying = onResponding(this.#unreachable, listener);
  }

  /**
   * Starts the programs again that were ended with the owner of their terminals, as far as the configuration wants
   * it. Never fails: what cannot be started is in the log.
   */
  async reviveAtStart({ reviveAtStart: which }: ServerConfig): Promise<void> {
    if (which === 'off') return;
    const sessions = this.coordinator.lostSessions(which);
    const rest = sessions.values();
    const work = async () => {
      for (const { environment, ...session } of rest) {
        // Nobody calls, so a session that needs the environment of its caller gets that of a login.
        const request = environment === 'caller' ? { environment: 'login' as const } : {};
        const revived = this.served.revive(session, request);
        await revived.then(
          () => this.#log(`revived ${session.name}`),
          (error) => this.#log(`not revived: ${asVtrError(error).message}`),
        );
      }
    };
    await Promise.all(Array.from({ length: Math.min(revivalsAtOnce, sessions.length) }, work));
  }

  /** Ends the sessions or leaves them, so that waiting clients get their answers. Never fails. */
  async endSessions(reason: StopReason): Promise<void> {
    this.#retrying?.dispose();
    try {
      if (this.#hosts !== null && leaves(reason)) return await this.coordinator.detach();
      if (reason === 'signal') await this.#store?.stopping();
      // Else they are saved, and can be started again.
      if (reason === 'stop') this.#keptFiles.remove(this.coordinator.idsWithEarlier);
      await this.coordinator.close();
    } catch (error) {
      this.#log((error as Error).message);
    }
  }

  /** Closes or removes the files, after {@link endSessions}. Never fails. */
  async closeFiles(reason: StopReason): Promise<void> {
    // Without the programs' host, nobody has the keys.
    this.#archives?.close(this.#hosts === null || !leaves(reason));
    try {
      const closing = reason === 'stop' ? this.#store?.removeAll() : this.#store?.close();
      const all = Promise.all([closing, this.#keptFiles.settled()]);
      await Promise.race([all, delay(closeFilesMs, undefined, { ref: false })]);
    } catch (error) {
      this.#log(`warning: ${(error as Error).message}`);
    }
    // What the trail has now is forwarded; the rest waits for the next daemon.
    const { trail, forwarder } = this.#audit;
    const closing = trail?.close().then(() => forwarder?.close());
    await Promise.race([closing, delay(closeFilesMs, undefined, { ref: false })]);
  }
}

interface FilesOfSessions {
  readonly store: SessionStore | null;
  readonly archives: ArchiveFiles | null;
  readonly keptFiles: KeptFiles;
}

/** Whether the sessions go on without the daemon. */
export const leaves = (reason: StopReason): boolean => reason !== 'stop' && reason !== 'signal';

/** Returns null if terminals are in this process. */
async function openHosts(options: DaemonCoordinatorOptions): Promise<OpenedPtyHosts | null> {
  const { socket, user, version, log, survival, config, onFault, launchedHost } = options;
  if (survival === null || config.ptyHost === 'in_process') return null;
  try {
    const parts = { socket, version, env: user.env, log, again: survival.again };
    const launched = launchedHost;
    return await openPtyHosts({ ...parts, launched, onListenerError: onFault });
  } catch (error) {
    launchedHost?.abandon();
    log(`warning: terminals are in this process: ${(error as Error).message}`);
    return null;
  }
}

function storeOf(
  { user, socket, log }: DaemonCoordinatorOptions,
  { unreachable }: OpenedPtyHosts,
): SessionStore {
  const store = savedSessions(user, socket, log);
  // The sessions of a host that does not answer are not lost.
  if (unreachable.length > 0) store.lost = async () => ({ sessions: [], skipped: [] });
  return store;
}

/** Reads the files of agents when a session first needs them, and when they change after that. */
function agentKindsOf(
  { user, version, log }: DaemonCoordinatorOptions,
  onChange: () => void,
): () => Promise<readonly AgentKind[]> {
  const open = async () => {
    const { AgentKindFiles } = await import('./agent-kinds.ts');
    return new AgentKindFiles({ user, version, log, onChange });
  };
  let files: ReturnType<typeof open> | null = null;
  return async () => {
    files ??= open();
    return (await files).kinds();
  };
}

const archivesOf = ({ user, socket, config, log }: DaemonCoordinatorOptions): ArchiveFiles =>
  new ArchiveFiles({
    directory: archiveDirectory(user, socket),
    maxBytes: config.archiveMaxBytes,
    log,
  });

/** Opens the files of the sessions of a daemon. */
export function savedSessions(
  user: UserEnvironment,
  socket: string,
  log: (line: string) => void,
): SessionStore {
  return openStore({
    directory: stateDirectory(user, socket),
    // Where the system has no id, nothing is known about restarts.
    bootId: bootId() ?? '',
    self: thisProcess(),
    isAlive,
    clock: systemClock,
    log,
  });
}

/** Reads the saved sessions of a daemon, which may run. Changes nothing. */
export function checkSavedSessions(user: UserEnvironment, socket: string): CheckedStore {
  return checkStore({ directory: stateDirectory(user, socket), bootId: bootId() ?? '', isAlive });
}

/** Removes the damaged sessions of a daemon, which may run. See `clearStore`. */
export const removeDamagedSessions = (
  user: UserEnvironment,
  socket: string,
  readIds: () => Promise<ReadonlySet<string>>,
): Promise<ClearedStore> => clearStore({ directory: stateDirectory(user, socket) }, readIds);

function recordingOptions(
  options: DaemonCoordinatorOptions,
): NonNullable<LocalCoordinatorOptions['recording']> {
  const { config } = options;
  return {
    limits: {
      sessionBytes: config.recordingMemoryBytes,
      totalBytes: config.recordingMemoryTotalBytes,
    },
    redaction: {
      redact: config.redact,
      reads: config.redactReads,
      patterns: config.redactPatterns,
    },
    files: {
      store: recordingFiles(options),
      all: config.record === 'files',
      maxBytes: config.recordingMaxBytes,
    },
  };
}

function recordingFiles({ user, socket, config, log }: DaemonCoordinatorOptions): RecordingFiles {
  return new RecordingFiles(recordingsDirectory(user), {
    socket,
    bounds: {
      keep: config.recordingsKeep,
      totalBytes: config.recordingsTotalBytes,
      maxAgeMs: config.recordingsMaxAgeMs,
    },
    wallMs: Date.now,
    log,
  });
}

function coordinatorOptions(options: DaemonCoordinatorOptions): LocalCoordinatorOptions {
  const { user, config } = options;
  return {
    recording: recordingOptions(options),
    maxSessions: config.maxSessions,
    maxKeptExited: config.maxKeptExited,
    waitForPersonMs: config.waitForPersonMs,
    sizing: config.sizing,
    defaults: {
      cwd: homeOf(user),
      environment: 'login',
      ...defined({ shell: config.defaultShell }),
      shellIntegration: config.shellIntegration,
      graphemeClusters: config.graphemeClusters,
      scrollback: scrollbackLimits(config.scrollbackLimit),
    },
  };
}

/**
 * Returns a coordinator that does not claim that a session does not exist while some sessions are not
 * known.
 *
 * @param silentHosts the number of PTY hosts whose sessions are not known
 */
function incompleteCoordinator(coordinator: Coordinator, silentHosts: number): Coordinator {
  const hosts = silentHosts === 1 ? 'a PTY host' : `${silentHosts} PTY hosts`;
  const unknown = (what: string) => {
    const message = `${what}: ${hosts} that cannot be used may have it; see vtr doctor`;
    return new VtrError('UNAVAILABLE', message);
  };
  return coordinatorOf(async (name, args) => {
    try {
      return await callByName(coordinator, name, args);
    } catch (error) {
      const { code, message } = asVtrError(error);
      throw code === 'SESSION_NOT_FOUND' ? unknown(message) : error;
    }
  });
}

interface TrailParts {
  readonly user: UserEnvironment;
  readonly socket: string;
  readonly config: ServerConfig;
  readonly log: (line: string) => void;
}

interface AuditParts {
  readonly trail: Trail | null;
  readonly forwarder: Forwarder | null;
}

/** Returns the audit trail of a daemon, and what forwards it. Its files are opened by the first entry. */
function auditPartsOf({ user, socket, config, log }: TrailParts): AuditParts {
  const to = config.auditForward;
  if (!config.audit) {
    if (to !== null) log('warning: audit = false in server.toml: audit_forward has no effect');
    return { trail: null, forwarder: null };
  }
  const directory = auditDirectory(user, socket);
  if (to === null) void forgetForwarded(directory);
  const forwarder = to && new Forwarder({ directory, target: forwardTarget(to), ...to, log });
  const trail = new Trail({
    directory,
    text: config.auditText,
    maxBytes: config.auditMaxBytes,
    log,
    wallMs: Date.now,
    onWritten: (newest) => forwarder?.note(newest),
  });
  return { trail, forwarder };
}

const auditOf = (coordinator: LocalCoordinator, trail: Trail, client: Client): Audit =>
  new Audit({
    trail,
    client,
    wallMs: Date.now,
    identify: (session) => coordinator.identify(session),
  });

/** Records what the coordinator does itself, and who drives. */
function noteOwn(trail: Trail, { session, ...own }: OwnAction): void {
  const details = own.action === 'end' ? { reason: own.endedBy.reason } : { change: own.done };
  trail.add({
    entry: {
      time: new Date().toISOString(),
      action: own.action,
      client: 'vtr',
      pid: process.pid,
      ...(own.action === 'driver' && { by: own.by }),
      session: session.name,
      session_id: session.id,
      details,
    },
    input: null,
  });
}
