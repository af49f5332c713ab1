import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AuditTrail, DescribeDaemonResponse, DescribeDaemonResponseSchema } from '#messages';
import type { AuditState, Persistence } from '#model';
import { fromTimestamp, toTimestamp } from '../time.ts';
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
  ...(host === null ? {} : { hostPid: host.pid, hostVersion: host.version }),
  persist: toPersistence(persist),
  ...(audit && { audit: { ...audit, reason: audit.reason ?? '' } }),
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

const fromAudit = ({ directory, lost, isLosing, reason }: AuditTrail): AuditState => ({
  ...{ directory, lost, isLosing },
  ...(reason !== '' && { reason }),
});
