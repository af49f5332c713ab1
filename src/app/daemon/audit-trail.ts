import { Audit, Trail } from '#audit';
import { auditDirectory, type ServerConfig, type UserEnvironment } from '#config';
import type { LocalCoordinator, OwnAction } from '#coordinator';
import type { Client } from '#model';

interface TrailParts {
  readonly user: UserEnvironment;
  readonly socket: string;
  readonly config: ServerConfig;
  readonly log: (line: string) => void;
}

/** Returns the audit trail of a daemon. Its files are opened by the first entry. */
export function trailOf({ user, socket, config, log }: TrailParts): Trail {
  return new Trail({
    directory: auditDirectory(user, socket),
    text: config.auditText,
    maxBytes: config.auditMaxBytes,
    log,
    wallMs: Date.now,
  });
}

export const auditOf = (coordinator: LocalCoordinator, trail: Trail, client: Client): Audit =>
  new Audit({
    ...{ trail, client, wallMs: Date.now },
    identify: (session) => coordinator.identify(session),
  });

/** Records what the coordinator does itself, and who drives. */
export function noteOwn(trail: Trail, { session, ...own }: OwnAction): void {
  const details = own.action === 'end' ? { reason: own.endedBy.reason } : { change: own.done };
  trail.add({
    entry: {
      time: new Date().toISOString(),
      ...{ action: own.action, client: 'vtr', pid: process.pid },
      ...(own.action === 'driver' && { by: own.by }),
      ...{ session: session.name, session_id: session.id, details },
    },
    input: null,
  });
}
