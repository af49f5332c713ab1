import type { UserEnvironment } from '#config';
import type { Coordinator } from '#model';
import { runDaemon } from './run-daemon.ts';

export interface EmbeddedOptions {
  /** Absolute path; other clients reach the sessions there. */
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly version: string;
  readonly log: (line: string) => void;
  /** The kind of this program, for the audit trail. */
  readonly client: 'mcp' | 'acp';
}

export interface EmbeddedCoordinator {
  readonly socket: string;
  readonly coordinator: Coordinator;
  /** Ends it and all its sessions. */
  close(): Promise<void>;
}

/**
 * Runs a daemon in this process, for a program whose sessions end with it.
 *
 * @throws VtrError as {@link runDaemon}
 */
export async function embedCoordinator(options: EmbeddedOptions): Promise<EmbeddedCoordinator> {
  const { socket, log, client: kind } = options;
  const client = { kind, pid: process.pid };
  let leave = () => {};
  const until = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  const coordinator = await new Promise<Coordinator>((resolve, reject) => {
    ended = runDaemon({ ...options, client, onServing: resolve, until });
    ended.catch(reject);
  });
  log(`serving sessions at ${socket}`);
  const close = async () => {
    leave();
    await ended;
  };
  return { socket, coordinator, close };
}
