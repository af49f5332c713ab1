import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { defined } from '#base';
import type {
  AuditForward,
  AuditTrail,
  DescribeDaemonResponse,
  DescribeDaemonResponseSchema,
} from '#messages';
import * as wire from '#messages';
import type {
  AuditState,
  ForwardState,
  Persistence,
  SessionWorktree,
  SharedLink,
  ShareRequest,
  TmuxAnswer,
  TmuxRequest,
  WebLink,
  WebLogin,
  WebRequest,
  WebShare,
  WebStatus,
} from '#model';
import { field, fromTimestamp, toLongDuration, toMs, toTimestamp } from './field.ts';
import { fromPersistence, toPersistence } from './session.ts';

/** The process that serves a coordinator. */
export interface DaemonDescription {
  /** The version of vtr. */
  readonly version: string;
  readonly pid: number;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAtMs: number;
  readonly socketPath: string;
  /** The process that owns the pseudo-terminals; null if the daemon does. */
  readonly host: { readonly pid: number; readonly version: string } | null;
  readonly persist: Persistence;
  /** How many such processes the daemon cannot use; their sessions are not listed. */
  readonly silentHosts: number;
  /** Null if there is none: it is off, or the daemon is of an earlier version. */
  readonly audit: AuditState | null;
  /** Saved sessions that cannot be restored. */
  readonly damaged: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * The process that the service runs in. It is public, so its file must not import Connect, whose types
 * need those of the DOM.
 */
export interface DaemonControls {
  /** @throws VtrError UNAVAILABLE if the daemon is ending */
  describe(): DaemonDescription;
  /** Begins to stop after the answer to this call was sent. Returns at once. */
  stop(): void;
  /**
   * Begins to end after the answer to this call was sent, and leaves the sessions to the next daemon.
   * Checks first that the next one can start.
   *
   * @param program path of the command `vtr` that runs as the next daemon; default that of this one
   * @returns whether a supervisor starts the next daemon
   * @throws VtrError UNAVAILABLE if the sessions would end with the daemon; INVALID_ARGUMENT if the
   * configuration is invalid or the program does not exist
   */
  restart(program?: string): Promise<{ readonly inForeground: boolean }>;
  /**
   * Returns directories of the daemon's machine whose paths begin with a text, for completion: at most 50. Never fails.
   *
   * @param prefix an absolute path, or one that begins with `~`
   */
  directories(prefix: string): Promise<DirectoryList>;
  /** Returns the kinds of coding agents that the daemon knows. */
  agentKinds(): Promise<readonly ListedAgentKind[]>;
  /**
   * Returns the worktree of a branch, and makes it, and the branch, if there are none.
   *
   * @param directory of the repository: an absolute path, or one that begins with `~`
   * @param from where a new branch begins; undefined: a branch of a remote of that name, else HEAD
   * @throws VtrError INVALID_ARGUMENT with git's words, PROGRAM_NOT_FOUND
   */
  makeWorktree(directory: string, branch: string, from?: string): Promise<SessionWorktree>;
}

export interface ListedAgentKind {
  /** Its id, such as `claude`. */
  readonly kind: string;
  /** As people call it, such as `Claude Code`. */
  readonly name: string;
  /** Whether its program is in the daemon's PATH. */
  readonly inPath: boolean;
}

export interface DirectoryList {
  /** Absolute paths. */
  readonly directories: readonly string[];
  /** The home directory of the daemon's user. */
  readonly home: string;
}

export const toDaemon = ({
  startedAtMs,
  host,
  persist,
  audit,
  damaged,
  ...same
}: DaemonDescription): MessageInitShape<typeof DescribeDaemonResponseSchema> => ({
  ...same,
  damaged: [...damaged],
  startedAt: toTimestamp(startedAtMs),
  ...defined({ hostPid: host?.pid, hostVersion: host?.version }),
  persist: toPersistence(persist),
  ...defined({ audit: audit && toAudit(audit) }),
});

const toAudit = ({ forward, reason = '', ...same }: AuditState) => ({
  ...same,
  reason,
  ...defined({ forward: forward && { ...forward, reason: forward.reason ?? '' } }),
});

export const fromDaemon = (message: DescribeDaemonResponse): DaemonDescription => {
  const { version, pid, startedAt, socketPath, hostPid, hostVersion, persist } = message;
  const { silentHosts, audit } = message;
  const damaged = message.damaged.map(({ path, reason }) => ({ path, reason }));
  const host = hostPid === 0 ? null : { pid: hostPid, version: hostVersion };
  const startedAtMs = fromTimestamp(startedAt);
  const trail = { audit: audit === undefined ? null : fromAudit(audit) };
  // A daemon of an earlier version saves nothing.
  const saved = fromPersistence(persist) ?? { state: 'stopped' };
  return {
    version,
    pid,
    startedAtMs,
    socketPath,
    host,
    persist: saved,
    silentHosts,
    damaged,
    ...trail,
  };
};

const fromAudit = ({ directory, lost, isLosing, reason, forward }: AuditTrail): AuditState => ({
  directory,
  lost,
  isLosing,
  ...defined({ reason: reason || undefined, forward: forward && fromForward(forward) }),
});

const fromForward = ({ to, waiting, lost, isFailing, reason }: AuditForward): ForwardState => ({
  to,
  waiting,
  lost,
  isFailing,
  ...defined({ reason: reason || undefined }),
});

export const toTmuxFields = ({ size, configFiles, control, ...same }: TmuxRequest) => ({
  ...same,
  words: [...same.words],
  env: { ...same.env },
  configFiles: [...(configFiles ?? [])],
  cols: size?.cols ?? 0,
  rows: size?.rows ?? 0,
  control: control ?? false,
});

export const fromTmuxFields = (message: wire.RunTmuxRequest): TmuxRequest => {
  const { socketPath, words, cwd, env, configFiles, cols, rows, input, pid, control, terminal } =
    message;
  return {
    socketPath,
    words,
    cwd,
    env,
    pid,
    control,
    ...field('configFiles', configFiles.length === 0 ? null : configFiles),
    ...field('size', cols === 0 || rows === 0 ? null : { cols, rows }),
    ...field('input', input),
    ...field('terminal', terminal),
  };
};

export const toTmuxAnswer = (answer: TmuxAnswer): wire.RunTmuxResponse =>
  create(wire.RunTmuxResponseSchema, answer);

export const fromTmuxAnswer = (message: wire.RunTmuxResponse): TmuxAnswer => {
  const { stdout, stderr, status, controlId } = message;
  return { stdout, stderr, status, ...field('controlId', controlId) };
};

export const toWebFields = ({ port, host, tls, behindProxy, openFile, push }: WebRequest) => ({
  ...defined({ port, host }),
  ...field('tlsCertFile', tls?.certFile),
  ...field('tlsKeyFile', tls?.keyFile),
  ...defined({ behindProxy, openFile, push }),
});

export const fromWebFields = (message: wire.StartWebRequest): WebRequest => {
  const { port, host, tlsCertFile: certFile, tlsKeyFile: keyFile, ...rest } = message;
  const { behindProxy, openFile, push } = rest;
  const hasTls = certFile !== undefined || keyFile !== undefined;
  return {
    ...defined({ port, host }),
    ...(hasTls ? { tls: { certFile: certFile ?? '', keyFile: keyFile ?? '' } } : {}),
    ...field('behindProxy', behindProxy),
    ...defined({ openFile: openFile || undefined, push }),
  };
};

export const fromWebLink = ({ url, port, file }: wire.StartWebResponse): WebLink => ({
  url,
  port,
  ...defined({ file: file || undefined }),
});

export const toWebStatus = ({
  port,
  warnings,
  ...same
}: WebStatus): MessageInitShape<typeof wire.DescribeWebResponseSchema> => ({
  ...same,
  warnings: warnings.map(({ atMs, again, uid }) => ({
    at: toTimestamp(atMs),
    again,
    ...field('uid', uid),
  })),
  running: port !== null,
  port: port ?? 0,
});

export const fromWebStatus = (message: wire.DescribeWebResponse): WebStatus => {
  const { running, port, origin, viewers, shares, logins } = message;
  const warnings = message.warnings.map(({ at, again, uid = null }) => ({
    atMs: fromTimestamp(at),
    again,
    uid,
  }));
  return { port: running ? port : null, origin, viewers, shares, logins, warnings };
};

export const toShareFields = ({
  forMs,
  write = false,
  alis = false,
  withHistory = false,
  redact,
}: ShareRequest) => ({
  write,
  alis,
  withHistory,
  ...field('redact', redact),
  ...field('duration', forMs === undefined ? null : toLongDuration(forMs)),
});

export const fromShareFields = (message: wire.ShareWebRequest): ShareRequest => {
  const { duration, write, alis, withHistory, redact } = message;
  const forMs = field('forMs', duration && toMs(duration));
  return { write, alis, withHistory, ...field('redact', redact), ...forMs };
};

export const toSharedLink = ({ id, url, untilMs }: SharedLink) => ({
  id,
  url,
  until: toTimestamp(untilMs),
});

export const fromSharedLink = ({ id, url, until }: wire.ShareWebResponse): SharedLink => ({
  id,
  url,
  untilMs: fromTimestamp(until),
});

export const toWebShare = ({ sinceMs, untilMs, ...same }: WebShare): wire.WebShare =>
  create(wire.WebShareSchema, {
    ...same,
    since: toTimestamp(sinceMs),
    until: toTimestamp(untilMs),
  });

export const fromWebShare = ({ since, until, ...message }: wire.WebShare): WebShare => {
  const { id, sessionId, session, write, alis, withHistory, redact, viewers } = message;
  const times = { sinceMs: fromTimestamp(since), untilMs: fromTimestamp(until) };
  return { id, sessionId, session, write, alis, withHistory, redact, ...times, viewers };
};

export const toWebLogin = ({ isNamed, share, sinceMs, usedMs, ...same }: WebLogin): wire.WebLogin =>
  create(wire.WebLoginSchema, {
    ...same,
    named: isNamed,
    ...defined({ share: share ?? undefined }),
    since: toTimestamp(sinceMs),
    used: toTimestamp(usedMs),
  });

export const fromWebLogin = ({ since, used, named, ...message }: wire.WebLogin): WebLogin => {
  const { id, name, share = null, pages, notified } = message;
  const times = { sinceMs: fromTimestamp(since), usedMs: fromTimestamp(used) };
  return { id, name, isNamed: named, share, ...times, pages, notified };
};
