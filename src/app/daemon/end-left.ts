import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  areSessionsLeft,
  isListening,
  makeDirectory,
  removeDaemonRecord,
  removeReportDirectory,
  type UserEnvironment,
} from '#config';
import { asVtrError, ioError, VtrError } from '#model';
import { endLeft as endProcesses, type PtyHostProbe } from '#pty/hosted';
import { savedSessions } from './daemon-coordinator.ts';
import { connectTo, untilProcessExited } from './open-pty-hosts.ts';
import { claimSocket } from './start/claim.ts';
import { probePtyHosts, silentText } from './start/pty-host-probes.ts';

export interface LeftOptions {
  readonly socket: string;
  readonly user: UserEnvironment;
  readonly version: string;
  readonly log: (line: string) => void;
}

/**
 * Ends everything that a daemon left that was killed: PTY hosts with their programs, and saved sessions.
 *
 * @returns whether anything was left; `served` if a daemon serves the socket, which must be ended first
 * @throws VtrError UNAVAILABLE if a PTY host does not respond, IO_ERROR
 */
export async function endLeft(options: LeftOptions): Promise<boolean | 'served'> {
  const { socket, user, log } = options;
  if (!(await areSessionsLeft(user, socket))) return false;
  makeSocketDirectory(dirname(socket));
  const claim = await claimSocket(socket, { isLive: () => isListening(socket) });
  if (claim === null) return 'served';
  try {
    const hosts = await probePtyHosts(socket);
    const ends = await Promise.allSettled(hosts.map((host) => endHost(host, options)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const store = savedSessions(user, socket, log);
    // Programs that ignore SIGHUP outlive a host that was killed.
    const { sessions } = await store.lost(new Set());
    await Promise.all(sessions.map(({ id }) => endProcesses(id, null)));
    await store.removeAll();
    removeDaemonRecord(socket);
    removeReportDirectory(socket);
    if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket()) rmSync(socket, { force: true });
  } finally {
    claim.release();
  }
  return true;
}

/** @throws VtrError IO_ERROR */
function makeSocketDirectory(directory: string): void {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw ioError(directory, 'made', error);
  }
}

/** @throws VtrError UNAVAILABLE */
async function endHost(host: PtyHostProbe, { version }: LeftOptions): Promise<void> {
  const { path, state, pid } = host;
  if (state === 'silent') throw new VtrError('UNAVAILABLE', silentText(path));
  if (state === 'usable') {
    const onListenerError = () => {};
    const connected = await connectTo(host, {
      version,
      survival: { again: null },
      onListenerError,
    });
    await connected.close();
    return;
  }
  try {
    // The signal ends its programs too. This version cannot send it any other request.
    process.kill(pid, 'SIGTERM');
    await untilProcessExited(pid);
  } catch (error) {
    throw new VtrError(
      'UNAVAILABLE',
      `process ${pid} cannot be ended: ${asVtrError(error).message}`,
    );
  }
}
