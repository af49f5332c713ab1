import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.mjs';
import { run } from '../../../scripts/steps/run.mjs';

/**
 * Tools that are too heavy to be installed with everything else: fetched by npm into `build`, once,
 * and without their install scripts.
 *
 * @param name of the folder
 * @param packages versions by name
 * @returns the folder; null where npm cannot fetch them
 */
export async function npmTools(
  name: string,
  packages: Readonly<Record<string, string>>,
): Promise<string | null> {
  const folder = join(root, 'build', name);
  const done = join(folder, 'done');
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const wanted = JSON.stringify({ private: true, dependencies: packages });
  writeFileSync(join(folder, 'package.json'), wanted);
  process.stdout.write(`    fetching ${Object.keys(packages).join(', ')} with npm, once\n`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = await run('npm', args, { cwd: folder });
  if (status !== 0) return null;
  writeFileSync(done, '');
  return folder;
}
