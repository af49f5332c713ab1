import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  areSessionsLeft,
  checkSocketPath,
  ensurePrivateDirectory,
  isListening,
  newPtyHostSocket,
  ptyHostSockets,
  readServerConfig,
  type ServerConfig,
  type UserEnvironment,
} from '#config';
import { PtyHostProcess } from '#pty/hosted';
import { type Claim, claimSocket } from './claim.ts';

/** Permission bits of a socket that only its owner may use. */
export const privateMode = 0o600;

/** The users who may enter the directory of the socket. */
export const accessOf = ({ socketMode }: ServerConfig) => ({
  isGroupOpen: socketMode !== privateMode,
});

export interface BeginOptions {
  /** Absolute path. */
  readonly socket: string;
  /** The environment that sessions inherit. */
  readonly user: UserEnvironment;
  /** Must exist. If absent, the user's own file, which need not exist. */
  readonly configFile?: string;
  /** Whether to end at once where no sessions are left: they were ended meanwhile. */
  readonly onlyIfLeft?: boolean;
  readonly version: string;
  /** The program of the PTY host, which is launched now if the file exists. Absent: none is launched. */
  readonly hostScript?: string;
}

/** What a daemon has before most of its code is loaded. */
export interface Beginning {
  readonly config: ServerConfig;
  readonly claim: Claim;
  /** Whether another daemon left sessions. */
  readonly areLeft: boolean;
  /** A PTY host that loads its program; null: the daemon starts one if it needs one. */
  readonly host: PtyHostProcess | null;
}

/**
 * Begins a daemon: reads its configuration, claims its socket and starts its PTY host, which loads while the
 * daemon loads its own code.
 *
 * @returns why it must not serve: another one serves the socket (`served_already`), or no sessions are left
 * @throws VtrError UNAVAILABLE if it cannot listen at the socket, INVALID_ARGUMENT for an invalid
 * configuration; the message has a hint
 */
export async function beginDaemon(
  options: BeginOptions,
): Promise<Beginning | 'served_already' | 'nothing_left'> {
  const { socket, user, configFile, onlyIfLeft = false } = options;
  const config = await readServerConfig(user, configFile);
  checkSocketPath(socket);
  ensurePrivateDirectory(dirname(socket), accessOf(config));
  const claim = await claimSocket(socket, { isLive: () => isListening(socket) });
  if (claim === null) return 'served_already';
  try {
    const areLeft = await areSessionsLeft(user, socket);
    if (!onlyIfLeft || areLeft)
      return { config, claim, areLeft, host: launchHost(options, config) };
  } catch (error) {
    claim.release();
    throw error;
  }
  claim.release();
  return 'nothing_left';
}

/** Starts a PTY host; returns null if the configuration or the package has none. */
function launchHost(
  { socket, user, version, hostScript: script }: BeginOptions,
  config: ServerConfig,
): PtyHostProcess | null {
  if (script === undefined || config.ptyHost === 'in_process' || !existsSync(script)) return null;
  if (ptyHostSockets(socket).length > 0) return null;
  const parts = { socket: newPtyHostSocket(socket), version, env: user.env };
  return PtyHostProcess.launch({ script, ...parts, log: 'inherit' });
}
