import { ptyHostSockets } from '#config';
import { VtrError } from '#model';
import { type PtyHostProbe, probePtyHost } from '#pty/hosted';

/** How long a host may take to greet, in ms. It is suspended if it takes longer. */
const greetingMs = 1_500;

/** Returns the PTY hosts of a daemon that run, the newest first. */
export async function probePtyHosts(socket: string): Promise<readonly PtyHostProbe[]> {
  const paths = ptyHostSockets(socket);
  const probes = await Promise.all(
    paths.map((path) => probePtyHost(path, { timeoutMs: greetingMs })),
  );
  return probes
    .filter(({ state }) => state !== 'gone')
    .sort((a, b) => b.startedAtMs - a.startedAtMs);
}

/** @throws VtrError UNAVAILABLE if a PTY host of the socket does not respond */
export async function checkHostsRespond(socket: string): Promise<void> {
  for (const { state, path } of await probePtyHosts(socket)) {
    if (state === 'silent') throw new VtrError('UNAVAILABLE', silentText(path));
  }
}

/** The problem of a host that does not greet, and what to do. */
export const silentText = (path: string): string =>
  `the PTY host at ${path} does not respond; continue it with kill -CONT, or end it with kill -KILL (fuser ${path} prints its process)`;
