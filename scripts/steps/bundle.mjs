import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the command loads only when it becomes a daemon; it lies in dist beside the bundle. */
const external = ['#app/daemon'];

/**
 * Makes dist/vtr.cjs, the `vtr` command in one file, of what is compiled in dist. CommonJS, because
 * Node takes 3 to 4 ms longer to start a module.
 *
 * @param {string} root
 */
export async function bundle(root) {
  // Set-up imports this file before packages are installed.
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const outfile = join(root, 'dist/vtr.cjs');
  await build({
    entryPoints: [join(root, 'dist/app/cli/main.js')],
    outfile,
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
  chmodSync(outfile, 0o755);
}
