import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { type Place, vtrFile } from './vtr-command.ts';

/** Starts a daemon in the foreground and waits until it serves. It is killed when the test ends. */
export const served = (place: Place, ...flags: readonly string[]): Promise<ChildProcess> =>
  servedBy(place, [process.execPath, vtrFile, 'serve', ...flags]);

/**
 * Starts a daemon by a command line, such as `prlimit --nofile=80 node ...`.
 *
 * @throws Error with its stderr when it ends before it serves
 */
export async function servedBy(place: Place, words: readonly string[]): Promise<ChildProcess> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    cwd: place.directory,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The next daemon is ended after the test, so this one must not be asked to end meanwhile.
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the daemon ended: ${said}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('serving at')) resolve();
    });
  });
  return child;
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}
