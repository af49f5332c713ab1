import { spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
