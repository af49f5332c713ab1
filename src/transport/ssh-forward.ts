import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, overwriteFile, type UserEnvironment } from '#config';
import type { Address } from '#model';
import { canForward, forwardedPath, sshDirectory, stateOf } from './forward/forwarded-socket.ts';
import { sshOptions, type ToolCommandOptions } from './tool-command.ts';

/** After this time without a change, in ms, a socket is not used any more. */
const unusedMs = 2 * 60 * 60_000;

/**
 * Replaces what is left of an earlier forward: ssh keeps one whose socket is gone. A file in place of the socket
 * says that no forward is possible.
 */
const script = 'ssh -O cancel "$@"; rm -f "$0"; ssh -O forward "$@" || : >"$0"';

/**
 * Asks the shared connection of ssh to forward a socket here to that of a coordinator, for later calls, which then
 * start no program. Returns at once: the forward is made in the background, and ends with the connection.
 *
 * @param far path of the coordinator's socket on the other side
 */
export function startForward(
  address: Address,
  far: string,
  options: ToolCommandOptions,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const near = forwardedPath(address, { env });
  if (address.kind !== 'ssh' || near === null || !canForward(far)) return;
  if (stateOf(near) !== 'none') return;
  const args = [...sshOptions(address, options), '-L', `${near}:${far}`, '--', address.host];
  try {
    removeUnused(sshDirectory({ env }));
    const child = spawn('sh', ['-c', script, near, ...args], {
      detached: true,
      stdio: 'ignore',
      env,
    });
    child.on('error', () => {});
    child.unref();
  } catch {
    // The next call tries again.
  }
}

function removeUnused(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (!name.endsWith('.sock')) continue;
    const path = join(directory, name);
    const { ctimeMs = Number.POSITIVE_INFINITY } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - ctimeMs > unusedMs) rmSync(path, { force: true });
  }
}

/** ssh adds 17 characters to the name of a socket that it makes, after a hash of 40. */
const maxDirectoryBytes = 104 - 1 - 40 - 17 - 1;

/** How long a connection that no command uses is kept, in s. */
const persistS = 60;

/**
 * Writes a configuration for ssh, in a private directory: the user's own, then defaults for what it does not
 * set: ssh uses the first of several values (ssh_config(5)). Commands to one host share a connection, which
 * ends by itself.
 *
 * @returns the path of the file; null if no such directory can be made: then no connection is shared
 */
export function sshConfigFile(user: UserEnvironment): string | null {
  const directory = sshDirectory(user);
  const file = join(directory, 'config');
  const shares = Buffer.byteLength(directory) <= maxDirectoryBytes && !/[\s"%$]/.test(directory);
  try {
    ensurePrivateDirectory(directory);
    const text = sshConfig(shares ? directory : null);
    if (textOf(file) !== text) overwriteFile(file, text, { mode: 0o600 });
    return file;
  } catch {
    return null;
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** @param directory of the sockets of shared connections; null: none is shared */
const sshConfig = (directory: string | null): string =>
  [
    'Include ~/.ssh/config',
    'Include /etc/ssh/ssh_config',
    'Host *',
    ...(directory === null
      ? []
      : ['ControlMaster auto', `ControlPath ${directory}/%C`, `ControlPersist ${persistS}`]),
    'ConnectTimeout 10',
    'ServerAliveInterval 10',
    'ServerAliveCountMax 3',
    '',
  ].join('\n');
