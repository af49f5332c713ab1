import { spawn } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '#config';
import { type ErrorCode, VtrError } from '#model';
import type { Context } from './context.ts';

/** What a daemon tells the process that started it, once. */
export type Report =
  | { readonly serving: number }
  | { readonly running: number | null }
  | { readonly failed: { readonly code: ErrorCode; readonly message: string } };

export interface StartedDaemon {
  /** Null where the one that runs does not say. */
  readonly pid: number | null;
  /** One was running there already. */
  readonly wasRunning: boolean;
}

/** Where a daemon that has no terminal writes what it has to say. */
const logFileOf = (socket: string): string => `${socket.replace(/\.sock$/, '')}.log`;

/**
 * Starts a daemon that outlives this process, and waits until it answers.
 *
 * @param flags for `vtr serve`
 * @throws VtrError what the daemon failed with
 */
export async function startDaemon(
  context: Context,
  socket: string,
  flags: readonly string[] = [],
): Promise<StartedDaemon> {
  const report = await launch(context, socket, flags);
  if ('failed' in report) throw new VtrError(report.failed.code, report.failed.message);
  if ('serving' in report) return { pid: report.serving, wasRunning: false };
  return { pid: report.running, wasRunning: true };
}

function launch(context: Context, socket: string, flags: readonly string[]): Promise<Report> {
  const log = openLog(logFileOf(socket));
  const args = [context.program, 'serve', '--socket', socket, ...flags];
  const child = spawn(process.execPath, args, {
    // A folder that somebody wants to unmount or remove is not held by us.
    cwd: '/',
    detached: true,
    env: { ...outsideSessions(context.env), [backgroundVariable]: '1' },
    stdio: ['ignore', 'ignore', log ?? 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (report) => {
      child.disconnect();
      child.unref();
      resolve(report as Report);
    });
    child.once('error', reject);
    // Not `exit`, which may come before the report that the daemon sent last.
    child.once('close', (code, signal) => {
      const how = signal === null ? `with status ${code}` : `by ${signal}`;
      reject(
        new VtrError(
          'UNAVAILABLE',
          `the daemon ended ${how} before it answered; see ${logFileOf(socket)}`,
        ),
      );
    });
  });
}

/**
 * A daemon that is started from inside a session is none of its programs, and would be ended with
 * them if it bore their mark.
 */
function outsideSessions(env: Context['env']): Context['env'] {
  const { VTR_SESSION: _name, VTR_SESSION_ID: _id, ...others } = env;
  return others;
}

/** Tells `vtr serve` that nobody is at a terminal; it takes it out of what sessions inherit. */
export const backgroundVariable = 'VTR_IN_BACKGROUND';

/** Null where it cannot be written: a daemon without a log is better than none. */
function openLog(file: string): number | null {
  try {
    makeDirectory(dirname(file));
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    return openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600);
  } catch {
    return null;
  }
}
