import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalCoordinator, type LocalCoordinatorOptions } from '#coordinator';
import { GrpcServer, type GrpcServerOptions } from '#wire/service';

/** A coordinator of this process behind a Unix socket in a temporary directory. */
export interface ServedCoordinator {
  readonly local: LocalCoordinator;
  readonly server: GrpcServer;
  readonly socket: string;
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
  const server = new GrpcServer(local, listener, serverOptions);
  const end = async () => {
    await Promise.all([local.close(), server.close()]);
    await new Promise((resolve) => listener.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  };
  return { local, server, socket, end };
}
