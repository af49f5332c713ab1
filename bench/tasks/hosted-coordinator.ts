import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalCoordinator } from '#coordinator';
import { startPtyHost } from '#pty/hosted';
import { repositoryRoot } from '../repository-root.ts';
import { type RecordingRequest, recordingOptions } from './recording-kinds.ts';

/**
 * Starts a coordinator.
 *
 * @param hasHost whether its terminals are in a process of their own
 * @param recorded default: in memory
 */
export async function startCoordinator(
  hasHost: boolean,
  recorded?: RecordingRequest,
): Promise<LocalCoordinator> {
  const recording = recorded === undefined ? {} : recordingOptions(recorded);
  if (!hasHost) return new LocalCoordinator({ recording });
  const { host: ptyHost } = await startPtyHost({
    script: join(repositoryRoot, 'dist/vtr-ptyd.cjs'),
    socket: join(tmpdir(), `vtr-bench-${randomUUID()}`),
    version: 'bench',
    env: process.env,
    log: 'inherit',
  });
  return new LocalCoordinator({ ptyHost, recording });
}
