import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/root.mjs';
import { run } from '../../../scripts/steps/run.mjs';

/**
 * Installs large tools with npm into `build`, once, without their install scripts.
 *
 * @param name of the directory
 * @param packages versions by name
 * @returns the directory; null when npm cannot fetch them
 */
export async function npmTools(
  name: string,
  packages: Readonly<Record<string, string>>,
): Promise<string | null> {
  const directory = join(root, 'build', name);
  const done = join(directory, 'done');
  if (existsSync(done)) return directory;
  mkdirSync(directory, { recursive: true });
  const json = JSON.stringify({ private: true, dependencies: packages });
  writeFileSync(join(directory, 'package.json'), json);
  process.stdout.write(`    fetching ${Object.keys(packages).join(', ')} with npm, once\n`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = await run('npm', args, { cwd: directory });
  if (status !== 0) return null;
  writeFileSync(done, '');
  return directory;
}
