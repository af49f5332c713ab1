import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What is bundled, of what is compiled in dist. The command is CommonJS, because Node takes 3 to 4 ms
 * longer to start a module; the daemon, the MCP server and the ACP proxy are modules beside it, which
 * the command loads when it is to serve. Loaded file by file, the daemon would open hundreds of them at once.
 */
const command = {
  entry: 'app/cli/main.js',
  output: 'vtr.cjs',
  format: /** @type {const} */ ('cjs'),
};
/** The second command. */
const termcp = {
  entry: 'app/cli/termcp-main.js',
  output: 'termcp.cjs',
  format: /** @type {const} */ ('cjs'),
};
const daemon = {
  entry: 'app/daemon/index.js',
  output: 'vtr-daemon.mjs',
  format: /** @type {const} */ ('esm'),
};
const mcp = {
  entry: 'app/mcp/index.js',
  output: 'vtr-mcp.mjs',
  format: /** @type {const} */ ('esm'),
};
/** What the others need of the service, when they first ask a daemon. */
const client = {
  entry: 'wire/service/index.js',
  output: 'vtr-client.mjs',
  format: /** @type {const} */ ('esm'),
};

const acp = {
  entry: 'app/acp/index.js',
  output: 'vtr-acp.mjs',
  format: /** @type {const} */ ('esm'),
};

/**
 * Packages that stay outside: native parts are found by their place, and the other is for who brings
 * it along.
 */
const external = ['@lydell/node-pty', '@agentclientprotocol/sdk'];

/** Some of their calls need the whole client, and most do not. */
const needsClientLate = [mcp, acp, command].map(({ output }) => output);

/** Packages that are CommonJS ask for Node's modules by a name that modules do not have. */
const requireForModules =
  "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);";

/**
 * Makes dist/vtr.cjs, the `vtr` command, and its daemon, where something compiled is newer.
 *
 * @param {string} root
 */
export async function bundle(root) {
  if (isCurrent(root)) return;
  // Set-up imports this file before packages are installed.
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { entry, output, format } of [daemon, client, mcp, acp, termcp, command]) {
    const outfile = join(root, 'dist', output);
    // In one step: somebody may be starting it.
    const temporary = `${outfile}.${process.pid}.tmp`;
    await build({
      entryPoints: [join(root, 'dist', entry)],
      outfile: temporary,
      absWorkingDir: root,
      bundle: true,
      format,
      platform: 'node',
      target: 'node20.19',
      external,
      plugins: [
        beside('app/daemon', daemon.output),
        beside('app/mcp', mcp.output),
        beside('app/acp', acp.output),
        ...(needsClientLate.includes(output) ? [beside('wire/service', client.output)] : []),
      ],
      banner: { js: format === 'cjs' ? '#!/usr/bin/env node' : requireForModules },
      define: { VTR_VERSION: JSON.stringify(version) },
      logLevel: 'error',
    });
    chmodSync(temporary, 0o755);
    renameSync(temporary, outfile);
  }
}

/**
 * Leaves a room out that stands in a file of its own.
 *
 * @param {string} room
 * @param {string} file
 * @returns {import('esbuild').Plugin}
 */
const beside = (room, file) => ({
  name: `${room}-beside`,
  setup(build) {
    const filter = new RegExp(`^#${room}$`);
    build.onResolve({ filter }, () => ({ path: `./${file}`, external: true }));
  },
});

/** @param {string} root */
function isCurrent(root) {
  const dist = join(root, 'dist');
  const made = statSync(join(dist, command.output), { throwIfNoEntry: false })?.mtimeMs;
  const others = [daemon, client, mcp, acp, termcp].map(({ output }) => join(dist, output));
  if (made === undefined || !others.every((file) => statSync(file, { throwIfNoEntry: false }))) {
    return false;
  }
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(dist, path));
  return [...compiled, join(root, 'package.json')].every((path) => statSync(path).mtimeMs <= made);
}
