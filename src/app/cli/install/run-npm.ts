import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Context } from '../context.ts';

/** Runs npm in a directory. Returns its first message, or why it did not start; '' if it said nothing. */
export async function runNpm(
  { env }: Pick<Context, 'env'>,
  cwd: string,
  words: readonly string[],
): Promise<string> {
  const args = [...words, '--loglevel=error'];
  const said = await promisify(execFile)('npm', args, { cwd, env }).then(
    ({ stderr }) => stderr,
    ({ code, stderr }) => (code === 'ENOENT' ? 'npm is not installed' : String(stderr)),
  );
  return said.trim().split('\n')[0] ?? '';
}
