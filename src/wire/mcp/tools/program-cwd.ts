import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { McpOptions } from '../options.ts';

const run = promisify(execFile);

/** Returns a program's current directory; null if the system does not report it, or the program runs elsewhere. */
export async function programCwd(
  { options }: { readonly options: Pick<McpOptions, 'isElsewhere'> },
  pid: number,
): Promise<string | null> {
  if (options.isElsewhere) return null;
  try {
    return process.platform === 'linux' ? await readlink(`/proc/${pid}/cwd`) : await byLsof(pid);
  } catch {
    return null;
  }
}

/** macOS reports it to its own programs only. lsof(8), "Output for other programs". */
async function byLsof(pid: number): Promise<string | null> {
  const args = ['-a', '-d', 'cwd', '-p', String(pid), '-Fn'];
  const { stdout } = await run('/usr/sbin/lsof', args, { timeout: 2_000 });
  return /^n(\/.*)$/m.exec(stdout)?.[1] ?? null;
}
