import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalCoordinator } from '#coordinator';
import { startPtyHost } from '#pty/hosted';
import { repositoryRoot } from '../repository-root.ts';

/**
 * Starts a coordinator.
 *
 * @param hasHost whether its terminals are in a process of their own
 */
export async function startCoordinator(hasHost: boolean): Promise<LocalCoordinator> {
  if (!hasHost) return new LocalCoordinator();
  const { host: ptyHost } = await startPtyHost({
    script: join(repositoryRoot, 'dist/vtr-ptyd.cjs'),
    socket: join(tmpdir(), `vtr-bench-${randomUUID()}`),
    version: 'bench',
    env: process.env,
    log: 'inherit',
  });
  return new LocalCoordinator({ ptyHost });
}
