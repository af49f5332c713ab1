import fs from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

/**
 * Writes the manual to `dist/man`: a page for each verb, `vtr.1` and `termcp.1`. Does nothing if they are newer than the
 * command.
 *
 * @param {string} root
 */
export async function manPages(root) {
  const directory = join(root, 'dist/man');
  const timeOf = (/** @type {string} */ path) =>
    fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (timeOf(join(directory, 'vtr.1')) > timeOf(join(root, 'dist/vtr-command.cjs'))) return;
  // It reads the verbs of the compiled command.
  const { manual } = await import('../man/manual.mjs');
  const pages = await manual({ date: await commitDate(root) });
  fs.rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory, { recursive: true });
  for (const [name, text] of pages) fs.writeFileSync(join(directory, `${name}.1`), text);
}

/** The day of the last commit, or today where the sources are no clone. @param {string} root */
async function commitDate(root) {
  const day = /^\d{4}-\d{2}-\d{2}$/;
  const args = ['log', '-1', '--format=%cs'];
  const { stdout } = await run('git', args, { cwd: root }).catch(() => ({ stdout: '' }));
  return day.test(stdout.trim()) ? stdout.trim() : new Date().toISOString().slice(0, 10);
}
