import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, overwriteFile, type UserEnvironment } from '#config';
import { sshDirectory } from './forward/forwarded-socket.ts';

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
