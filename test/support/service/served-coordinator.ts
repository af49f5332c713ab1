import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Audit, type NewEntry } from '#audit';
import { LocalCoordinator, type LocalCoordinatorOptions } from '#coordinator';
import { GrpcServer, type GrpcServerOptions } from '#wire/service';

/** A coordinator of this process behind a Unix socket in a temporary directory. */
export interface ServedCoordinator {
  readonly local: LocalCoordinator;
  /** What is recorded of its calls, oldest first. */
  readonly audited: readonly NewEntry[];
  readonly server: GrpcServer;
  readonly socket: string;
  /** Registers what ends before the server does. */
  beforeEnd(run: () => void): void;
  /** Ends sessions, server and socket. */
  end(): Promise<void>;
}

export async function serveCoordinator(
  options: LocalCoordinatorOptions = {},
  serverOptions: GrpcServerOptions = {},
): Promise<ServedCoordinator> {
  const local = new LocalCoordinator(options);
  const directory = mkdtempSync(join(tmpdir(), 'vtr-'));
  const socket = join(directory, 'vtr.sock');
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(socket, resolve));
  const audited: NewEntry[] = [];
  const audit = new Audit({
    trail: { add: (entry) => void audited.push(entry) },
    client: { kind: 'vtr' },
    identify: (session) => local.identify(session),
    wallMs: Date.now,
  });
  // As a daemon does.
  const server = new GrpcServer(audit.coordinator(local), listener, serverOptions);
  const first: (() => void)[] = [];
  const beforeEnd = (run: () => void) => void first.push(run);
  const end = async () => {
    for (const run of first) run();
    await Promise.all([local.close(), server.close()]);
    await new Promise((resolve) => listener.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  };
  return { local, audited, server, socket, beforeEnd, end };
}
