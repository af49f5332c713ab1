import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the command loads only when it becomes a daemon; it lies in dist beside the bundle. */
const external = ['#app/daemon'];

/**
 * Makes dist/vtr.cjs, the `vtr` command in one file, of what is compiled in dist, where that is
 * newer. CommonJS, because Node takes 3 to 4 ms longer to start a module.
 *
 * @param {string} root
 */
export async function bundle(root) {
  const outfile = join(root, 'dist/vtr.cjs');
  if (isCurrent(root, outfile)) return;
  // Set-up imports this file before packages are installed.
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // In one step: somebody may be starting it.
  const temporary = `${outfile}.${process.pid}.tmp`;
  await build({
    entryPoints: [join(root, 'dist/app/cli/main.js')],
    outfile: temporary,
    absWorkingDir: root,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    external,
    banner: { js: '#!/usr/bin/env node' },
    define: { VTR_VERSION: JSON.stringify(version) },
    logLevel: 'error',
  });
  chmodSync(temporary, 0o755);
  renameSync(temporary, outfile);
}

/** @param {string} root @param {string} outfile */
function isCurrent(root, outfile) {
  const made = statSync(outfile, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) return false;
  const dist = join(root, 'dist');
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(dist, path));
  return [...compiled, join(root, 'package.json')].every((path) => statSync(path).mtimeMs <= made);
}
