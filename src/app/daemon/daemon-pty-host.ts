import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newPtyHostSocket } from '#config';
import type { PtyHost } from '#coordinator';
import { VtrError } from '#model';
import { SupervisedPtyHost, startPtyHost } from '#pty/hosted';

export interface DaemonPtyHostOptions {
  /** The daemon's socket. The host's is next to it, in the same private directory. */
  readonly socket: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onListenerError: (error: unknown) => void;
  readonly log: (line: string) => void;
}

/** The pid and version of the process that owns the pseudo-terminals. */
export interface HostProcess {
  readonly pid: number;
  readonly version: string;
}

export interface DaemonPtyHost {
  readonly ptyHost: PtyHost;
  /** The newest process; null before one has started. */
  process(): HostProcess | null;
}

/** The longest path of a Unix socket: 104 bytes on macOS, with the NUL. */
const maxPathBytes = 103;

/** Where the host's program is: next to the bundled daemon, and above the compiled one. */
const places = ['./vtr-ptyd.mjs', '../../vtr-ptyd.mjs'];

/**
 * Returns a PTY host in a process of its own, which starts now.
 *
 * @throws VtrError UNAVAILABLE if its program or a path for its socket is missing
 */
export function daemonPtyHost(options: DaemonPtyHostOptions): DaemonPtyHost {
  const { version, env, onListenerError } = options;
  const script = scriptPath();
  const length = Buffer.byteLength(newPtyHostSocket(options.socket));
  if (length > maxPathBytes) {
    throw new VtrError('UNAVAILABLE', `the path of the host's socket has ${length} bytes`);
  }
  let newest: HostProcess | null = null;
  const ptyHost = new SupervisedPtyHost(async () => {
    const socket = newPtyHostSocket(options.socket);
    const onKilled = (how: string) =>
      options.log(`the PTY host is gone, and with it its programs: ${how}`);
    const parts = { script, socket, version, env, onListenerError, onKilled };
    const { host, pid } = await startPtyHost({ ...parts, log: 'inherit' });
    newest = { pid, version };
    return host;
  });
  return { ptyHost, process: () => newest };
}

function scriptPath(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new VtrError('UNAVAILABLE', `${paths[0]} does not exist`);
}
