import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { Variables } from '#model';

/** The time that the start files of a shell may take, in ms. */
const startFilesMs = 5_000;
/** More is not read, in bytes. */
const maxBytes = 1024 * 1024;

const marker = 'vtr-environment-begins-here';

/**
 * Returns the environment that a login shell has after its start files; null if it ends without it, or takes
 * too long.
 */
export function afterStartFiles(
  shell: string,
  home: string,
  env: Variables,
  limitMs = startFilesMs,
): Promise<Variables | null> {
  return new Promise((resolve) => {
    // A `-` before the name makes any shell a login shell.
    const child = spawn(shell, ['-c', `echo ${marker}; exec env -0`], {
      ...{ argv0: `-${basename(shell)}`, cwd: existsSync(home) ? home : '/', env, detached: true },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const timer = setTimeout(() => kill(child), limitMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBytes) kill(child);
    });
    child.once('error', () => resolve(null));
    child.once('close', () => {
      clearTimeout(timer);
      // Start files may print, too.
      const [, printed] = Buffer.concat(chunks).toString('utf8').split(`${marker}\n`);
      const variables = variablesIn(printed ?? '', '\0');
      resolve('PATH' in variables ? variables : null);
    });
  });
}

/** Ends the shell with what its start files have started. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Reads `NAME=VALUE`, also `export NAME="VALUE"`; other lines, such as comments, are left out. */
export const variablesIn = (text: string, separator: string): Variables =>
  Object.fromEntries(
    text.split(separator).flatMap((each) => {
      const [, name, value] = /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/s.exec(each) ?? [];
      if (name === undefined || value === undefined) return [];
      return [[name, separator === '\0' ? value : value.trim().replace(/^(["'])(.*)\1$/, '$2')]];
    }),
  );
