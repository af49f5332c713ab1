import { chmodSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The bundles of dist. The command is CommonJS, because Node takes 3 to 4 ms longer to start a module.
 * The daemon, the MCP server, the ACP proxy and what people use in their terminal are modules next to
 * it, which the command loads when it needs them. Without bundles the daemon would open hundreds of
 * files at its start.
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
/** The client of the service. The others load it when they first call a daemon. */
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

/** What people use in their own terminal. Other commands do not load it. */
const tui = {
  entry: 'app/tui/index.js',
  output: 'vtr-tui.cjs',
  format: /** @type {const} */ ('cjs'),
};

/** The terminal engine, which a person's terminal loads after the first picture. */
const vt = {
  entry: 'vt/index.js',
  output: 'vtr-vt.cjs',
  format: /** @type {const} */ ('cjs'),
};

/** The list of all sessions. `vtr attach` loads it when a person goes there. */
const overview = {
  entry: 'app/tui/overview/overview.js',
  output: 'vtr-overview.cjs',
  format: /** @type {const} */ ('cjs'),
};

/** The player of recordings. Only `vtr play` loads it. */
const player = {
  entry: 'app/tui/player/play.js',
  output: 'vtr-player.cjs',
  format: /** @type {const} */ ('cjs'),
};

/** What commands do with recordings, with the terminal engine. */
const recordings = {
  entry: 'app/recordings/index.js',
  output: 'vtr-recordings.cjs',
  format: /** @type {const} */ ('cjs'),
};

/** Patterns, of which the library is large. Only searches in a person's terminal load it from here. */
const watch = {
  entry: 'watch/index.js',
  output: 'vtr-watch.mjs',
  format: /** @type {const} */ ('esm'),
};

/** The process that owns the pseudo-terminals of a daemon. */
const ptyd = {
  entry: 'app/ptyd/main.js',
  output: 'vtr-ptyd.mjs',
  format: /** @type {const} */ ('esm'),
};

/** Not bundled: a native binding finds its files by their paths, and the SDK is the user's own. */
const external = ['@lydell/node-pty', '@agentclientprotocol/sdk'];

/** Bundles that load the client when a call first needs it; most calls do not. */
const needsClientLate = [mcp, acp, tui, command].map(({ output }) => output);

/** CommonJS packages call `require`, which modules do not have. */
const requireForModules =
  "import { createRequire as requireAt } from 'node:module'; const require = requireAt(import.meta.url);";

/**
 * Makes the bundles when a compiled file is newer than they are.
 *
 * @param {string} root
 */
export async function bundle(root) {
  if (isCurrent(root)) return;
  // Set-up imports this file before packages are installed.
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const { entry, output, format } of [
    daemon,
    ptyd,
    client,
    mcp,
    acp,
    watch,
    vt,
    overview,
    player,
    recordings,
    tui,
    termcp,
    command,
  ]) {
    const outfile = join(root, 'dist', output);
    // Renamed into place, because the command may start at the same time.
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
        bundleOf('app/daemon', daemon.output),
        bundleOf('app/mcp', mcp.output),
        bundleOf('app/acp', acp.output),
        requiredBundle(/^#app\/tui$/, tui.output),
        requiredBundle(/^#app\/recordings$/, recordings.output),
        ...(output === tui.output || output === player.output ? lateForTui : []),
        ...(needsClientLate.includes(output) ? [bundleOf('wire/service', client.output)] : []),
        ...(output === command.output ? [roomsInOnePiece(root, build)] : []),
      ],
      ...([command, tui, overview, player, recordings, vt].some((each) => each.output === output)
        ? denser
        : {}),
      banner: { js: format === 'cjs' ? '#!/usr/bin/env node' : requireForModules },
      define: { VTR_VERSION: JSON.stringify(version) },
      logLevel: 'error',
    });
    chmodSync(temporary, 0o755);
    renameSync(temporary, outfile);
  }
}

/**
 * Replaces the imports of a room by imports of its bundle.
 *
 * @param {string} room
 * @param {string} file
 * @returns {import('esbuild').Plugin}
 */
const bundleOf = (room, file) => ({
  name: `external-${room}`,
  setup(build) {
    const filter = new RegExp(`^#${room}$`);
    build.onResolve({ filter }, () => ({ path: `./${file}`, external: true }));
  },
});

/**
 * Replaces each `import()` of a module by that of its bundle in CommonJS, which `require` loads in less
 * time. Other imports of the module stay: what they need of it is bundled.
 *
 * @param {RegExp} filter
 * @param {string} file
 * @returns {import('esbuild').Plugin}
 */
const requiredBundle = (filter, file) => ({
  name: `required-${file}`,
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: file, namespace: file } : null,
    );
    onResolve({ filter: new RegExp(`^\\./${file}$`) }, ({ path }) => ({ path, external: true }));
    const contents = `module.exports = require('./${file}');`;
    onLoad({ filter: /.*/, namespace: file }, () => ({ contents }));
  },
});

/**
 * Bundles each room into one module first. esbuild wraps each module that is loaded on demand in a
 * function, and without this a short command would call about 60 of them.
 *
 * @param {string} root
 * @param {typeof import('esbuild').build} build
 * @returns {import('esbuild').Plugin}
 */
const roomsInOnePiece = (root, build) => ({
  name: 'rooms-in-one-piece',
  setup({ onResolve, onLoad }) {
    const namespace = 'room';
    onResolve({ filter: /^#/ }, ({ path }) => ({ path: path.slice(1), namespace }));
    onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const { outputFiles } = await build({
        entryPoints: [join(root, 'dist', path, 'index.js')],
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20.19',
        external: [...external, '#*'],
        write: false,
        logLevel: 'error',
      });
      return { contents: outputFiles[0]?.text ?? '', resolveDir: root };
    });
  },
});

/** What the person's terminal loads when it first needs it. */
const lateForTui = [
  bundleOf('watch', watch.output),
  requiredBundle(/^#vt$/, vt.output),
  requiredBundle(/\/overview\.js$/, overview.output),
  requiredBundle(/\/player\/play\.js$/, player.output),
];

/** Node parses the whole command at each start. Without whitespace it takes 1 ms less. Stack traces keep names. */
const denser = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160 };

/** @param {string} root */
function isCurrent(root) {
  const dist = join(root, 'dist');
  const made = statSync(join(dist, command.output), { throwIfNoEntry: false })?.mtimeMs;
  const others = [
    daemon,
    ptyd,
    client,
    mcp,
    acp,
    watch,
    vt,
    overview,
    player,
    recordings,
    tui,
    termcp,
  ].map(({ output }) => join(dist, output));
  if (made === undefined || !others.every((file) => statSync(file, { throwIfNoEntry: false }))) {
    return false;
  }
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(dist, path));
  const own = [join(root, 'package.json'), join(root, 'scripts/steps/bundle.mjs')];
  return [...compiled, ...own].every((path) => statSync(path).mtimeMs <= made);
}
