import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hasPackages, keepPackages } from './notices.mjs';
import { withoutTexts } from './without-texts.mjs';

/**
 * The bundles of dist: programs, and parts of them that are loaded when they are needed. All are
 * CommonJS, because Node takes 3 to 4 ms longer to start a module, and only the code of CommonJS can be
 * kept between two starts (src/app/launch).
 */
const bundles = {
  /** The whole command. */
  command: { entry: 'app/cli/main.js', output: 'vtr-command.cjs' },
  /** The second command. */
  termcp: { entry: 'app/cli/termcp-main.js', output: 'vtr-termcp.cjs' },
  /** The process that owns the pseudo-terminals of a daemon. */
  ptyHost: { entry: 'app/ptyd/main.js', output: 'vtr-ptyhost.cjs' },
  daemon: { entry: 'app/daemon/index.js', output: 'vtr-daemon.cjs' },
  /** The web page's server. The daemon loads it when the page is first served. */
  web: { entry: 'wire/web/index.js', output: 'vtr-web.cjs' },
  /** The commands of tmux. The daemon loads it when one is first called. */
  tmux: { entry: 'wire/tmux/index.js', output: 'vtr-tmux.cjs' },
  mcp: { entry: 'app/mcp/index.js', output: 'vtr-mcp.cjs' },
  acp: { entry: 'app/acp/index.js', output: 'vtr-acp.cjs' },
  /** The client of the service. The others load it when they first call a daemon. */
  client: { entry: 'wire/service/client/index.js', output: 'vtr-client.cjs' },
  /** Connections of short commands where Node's own pipes cannot be used, and probes of a silent daemon. */
  stream: { entry: 'wire/service/short/stream-exchange.js', output: 'vtr-stream.cjs' },
  /** Connections through ssh and other programs. Only calls to an address load it. */
  transport: { entry: 'transport/index.js', output: 'vtr-transport.cjs' },
  /** Where ssh forwards to a coordinator. A short command that calls an address loads it. */
  forward: { entry: 'transport/forward/index.js', output: 'vtr-forward.cjs' },
  /** What people use in their own terminal. Other commands do not load it. */
  tui: { entry: 'app/tui/index.js', output: 'vtr-tui.cjs' },
  /** The terminal engine, which a person's terminal loads after the first picture. */
  vt: { entry: 'vt/index.js', output: 'vtr-vt.cjs' },
  /** The copy of a session's terminal, with the engine from its own bundle. */
  mirror: { entry: 'mirror/index.js', output: 'vtr-mirror.cjs' },
  /** The formats of tmux. `vtr attach` loads it for a status line that its person wrote. */
  format: { entry: 'format/index.js', output: 'vtr-format.cjs' },
  /** The list of all sessions. `vtr attach` loads it when a person goes there. */
  overview: { entry: 'app/tui/overview/overview.js', output: 'vtr-overview.cjs' },
  /** The player of recordings. Only `vtr play` loads it. */
  player: { entry: 'app/tui/player/play.js', output: 'vtr-player.cjs' },
  /** What commands do with recordings, with the terminal engine. */
  recordings: { entry: 'app/recordings/index.js', output: 'vtr-recordings.cjs' },
  /** Pictures of screens, with files of glyphs. Only commands that make pictures load it. */
  image: { entry: 'image/index.js', output: 'vtr-image.cjs' },
  /** The second thread that encodes GIF. */
  gifWorker: { entry: 'image/files/gif-worker.js', output: 'vtr-gif-worker.cjs' },
  test: { entry: 'app/test/index.js', output: 'vtr-test.cjs' },
  /**
   * Patterns, of which the library is large. Searches in a person's terminal load it from here, and the
   * command does when it checks one.
   */
  watch: { entry: 'watch/index.js', output: 'vtr-watch.cjs' },
  /** What short verbs rarely need: starting a daemon, keys in a configuration, the parser of TOML. */
  starting: { entry: 'app/client/index.js', output: 'vtr-starting.cjs' },
  keys: { entry: 'keys/index.js', output: 'vtr-keys.cjs' },
  silentDaemon: { entry: 'app/cli/coordinators/silent-daemon.js', output: 'vtr-silent.cjs' },
  watchList: { entry: 'app/cli/watching/watch-list.js', output: 'vtr-watchlist.cjs' },
  /** The widths of characters that are not ASCII. A short verb loads them when it prints one. */
  widths: { entry: 'vt/widths/index.js', output: 'vtr-widths.cjs' },
  toml: { entry: '../node_modules/smol-toml/dist/index.js', output: 'vtr-toml.cjs' },
};

/**
 * The bundle of a verb that is called often. Without the others, what it does not use is left out.
 *
 * @param {string} verb
 */
const shortBundle = (verb) => ({
  output: `vtr-short-${verb}.cjs`,
  source: [
    `import { runVerb } from './short-main.js';`,
    `import { ${verb} } from './verbs/${verb}.js';`,
    `runVerb(${verb});`,
  ].join('\n'),
});

/** The files that Node runs. Each loads its program, a bundle. */
const programs = [
  { entry: 'app/cli/vtr.js', output: 'vtr.cjs' },
  { entry: 'app/cli/termcp.js', output: 'termcp.cjs' },
  { entry: 'app/ptyd/vtr-ptyd.js', output: 'vtr-ptyd.cjs' },
];

/** Not bundled: a native binding finds its files by their paths, and the SDK is the user's own. */
const external = ['@lydell/node-pty', '@agentclientprotocol/sdk'];

/** The daemon uses this `Headers` in place of Node's, which takes 16 ms to load. */
const plainHeaders = 'wire/service/server/plain-headers.js';

/** Parts of short verbs, in bundles of their own. */
const partsOfShort = [bundles.silentDaemon, bundles.watchList];

/** Bundles that load the client when a call first needs it; most calls do not. */
const needsClientLate = [
  ...[bundles.mcp, bundles.acp, bundles.tui],
  ...[bundles.command, bundles.starting],
];

/** Bundles that find programs, scripts and glyphs next to them, by the URL of their file. */
const findsFiles = [
  bundles.starting,
  ...[bundles.daemon, bundles.ptyHost, bundles.mcp, bundles.acp, bundles.termcp],
  bundles.image,
  bundles.test,
];

/**
 * Makes the bundles when a compiled file is newer than they are.
 *
 * @param {string} root
 */
export async function bundle(root) {
  const { shortVerbNames } = await import(
    pathToFileURL(join(root, 'dist/app/cli/verbs/short-verb-names.js')).href
  );
  /** @type {ReturnType<typeof shortBundle>[]} */
  const shortBundles = shortVerbNames.map(shortBundle);
  if (isCurrent(root, [...Object.values(bundles), ...programs, ...shortBundles])) return;
  // Set-up imports this file before packages are installed.
  const { build } = await import('esbuild');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  /** @type {Set<string>} */
  const inputs = new Set();
  /** @param {string} output @param {import('esbuild').BuildOptions} options with the entry */
  const make = async (output, options) => {
    const { outputFiles, metafile } = await build({
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      format: 'cjs',
      platform: 'node',
      target: 'node20.19',
      // Node's own modules are required, too: the loader of modules takes longer to start. A regular expression
      // stays a literal, which V8 compiles when it is first used.
      supported: { 'dynamic-import': false, 'regexp-unicode-property-escapes': true },
      external,
      ...denser,
      logLevel: 'error',
      ...options,
    });
    for (const path of Object.keys(metafile?.inputs ?? {})) inputs.add(path);
    const outfile = join(root, 'dist', output);
    // Renamed into place, because the command may start at the same time.
    const temporary = `${outfile}.${process.pid}.tmp`;
    const text = outputFiles?.[0]?.text ?? '';
    writeFileSync(
      temporary,
      inAscii(
        withLateModules(
          text,
          programs.some((each) => each.output === output) ? lateInPrograms : lateModules,
        ),
      ),
    );
    chmodSync(temporary, 0o755);
    renameSync(temporary, outfile);
  };
  const define = { VTR_VERSION: JSON.stringify(version), 'import.meta.url': 'bundleUrl' };
  /** @param {string} entry */
  const from = (entry) => ({ entryPoints: [join(root, 'dist', entry)] });
  for (const each of Object.values(bundles)) {
    await make(each.output, {
      ...from(each.entry),
      plugins: [
        withoutTexts,
        ...(partsOfShort.includes(each) ? lateForShort : lateBundles),
        ...(each === bundles.tui || each === bundles.player ? lateForTui : []),
        ...(each === bundles.mirror ? [sharedBundle(/^#vt$/, bundles.vt)] : []),
        ...(each === bundles.format ? [sharedBundle(/^#watch$/, bundles.watch)] : []),
        ...(needsClientLate.includes(each)
          ? [requiredBundle(/^#wire\/service$/, bundles.client)]
          : []),
        ...(each === bundles.command
          ? [requiredBundle(/^#watch$/, bundles.watch), roomsInOnePiece(root, build, inputs)]
          : []),
      ],
      define,
      inject: each === bundles.daemon ? [join(root, 'dist', plainHeaders)] : [],
      banner: { js: findsFiles.includes(each) ? urlOfBundle : '' },
    });
  }
  for (const { output, source } of shortBundles) {
    const stdin = { contents: source, resolveDir: join(root, 'dist/app/cli'), sourcefile: output };
    await make(output, { stdin, define, plugins: lateForShort });
  }
  for (const { entry, output } of programs) {
    // What is loaded on demand is not in them.
    const plugins = lateForShort;
    await make(output, { ...from(entry), define, plugins, banner: { js: '#!/usr/bin/env node' } });
  }
  keepPackages(root, 'bundle', inputs);
}

/**
 * Escapes the characters of regular expressions that are not ASCII, as esbuild does those of strings.
 * With one of them, V8 would keep all of the source in two bytes for each character.
 *
 * @param {string} source
 */
const inAscii = (source) =>
  source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @param {readonly string[]} names of modules of Node */
const requiring = (names) => new RegExp(`=require\\(("node:(?:${names.join('|')})")\\)`, 'g');

/** It takes more than a millisecond to load, and most processes with a bundle that can start programs start none. */
const lateModules = requiring(['child_process']);
/** What the programs need of these is for commands that the daemon does not run: a quarter of a millisecond. */
const lateInPrograms = requiring(['child_process', 'os', 'vm']);

/**
 * Makes modules of Node load when a function of them is first used.
 *
 * @param {string} source
 * @param {RegExp} required
 */
function withLateModules(source, required) {
  const late = source.replace(required, '=lateModule($1)');
  if (late === source) return source;
  const [first = ''] = /^#!.*\n/.exec(late) ?? [];
  return `${first}${lateModule}${late.slice(first.length)}`;
}

/** esbuild reads a property of the module wherever the module is used. */
const lateModule =
  'const lateModule=(name)=>new Proxy({},{get:(_,property)=>require(name)[property]});\n';

/** CommonJS has no URL of a file. */
const urlOfBundle = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

/**
 * Replaces each `import()` of a module by that of its bundle, which is loaded then. Other imports of the
 * module stay: what they need of it is bundled.
 *
 * @param {RegExp} filter
 * @param {{ readonly output: string }} bundle
 * @returns {import('esbuild').Plugin}
 */
const requiredBundle = (filter, { output }) => ({
  name: `required-${output}`,
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: output, namespace: output } : null,
    );
    onResolve({ filter: new RegExp(`^\\./${output}$`) }, ({ path }) => ({ path, external: true }));
    const contents = `module.exports = require('./${output}');`;
    onLoad({ filter: /.*/, namespace: output }, () => ({ contents }));
  },
});

/**
 * Replaces each import of a module by that of its bundle, which other bundles load, too.
 *
 * @param {RegExp} filter
 * @param {{ readonly output: string }} bundle
 * @returns {import('esbuild').Plugin}
 */
const sharedBundle = (filter, { output }) => ({
  name: `shared-${output}`,
  setup({ onResolve }) {
    onResolve({ filter }, () => ({ path: `./${output}`, external: true }));
  },
});

/**
 * Bundles each room into one module first. esbuild wraps each module that is loaded on demand in a
 * function, and without this a short command would call about 60 of them.
 *
 * @param {string} root
 * @param {typeof import('esbuild').build} build
 * @param {Set<string>} inputs gets the paths of the files that are read
 * @returns {import('esbuild').Plugin}
 */
const roomsInOnePiece = (root, build, inputs) => ({
  name: 'rooms-in-one-piece',
  setup({ onResolve, onLoad }) {
    const namespace = 'room';
    onResolve({ filter: /^#/ }, ({ path }) => ({ path: path.slice(1), namespace }));
    onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const { outputFiles, metafile } = await build({
        entryPoints: [join(root, 'dist', path, 'index.js')],
        absWorkingDir: root,
        bundle: true,
        format: 'esm',
        platform: 'node',
        target: 'node20.19',
        external: [...external, '#*'],
        plugins: [lateInRoom],
        write: false,
        metafile: true,
        logLevel: 'error',
      });
      for (const input of Object.keys(metafile.inputs)) inputs.add(input);
      return { contents: outputFiles[0]?.text ?? '', resolveDir: root };
    });
  },
});

/** Keeps what a room loads on demand in its bundle. @type {import('esbuild').Plugin} */
const lateInRoom = {
  name: 'late-in-room',
  setup({ onResolve }) {
    onResolve({ filter: /\/stream-exchange\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${bundles.stream.output}`, external: true } : null,
    );
  },
};

/** What no bundle contains besides its own. */
const lateBundles = [
  requiredBundle(/^#app\/daemon$/, bundles.daemon),
  requiredBundle(/^#wire\/web$/, bundles.web),
  requiredBundle(/^#wire\/tmux$/, bundles.tmux),
  requiredBundle(/^#app\/mcp$/, bundles.mcp),
  requiredBundle(/^#app\/acp$/, bundles.acp),
  requiredBundle(/^#app\/tui$/, bundles.tui),
  requiredBundle(/^#app\/recordings$/, bundles.recordings),
  requiredBundle(/^#image$/, bundles.image),
  requiredBundle(/^#transport$/, bundles.transport),
  requiredBundle(/^#transport\/forward$/, bundles.forward),
  requiredBundle(/^#app\/test$/, bundles.test),
  requiredBundle(/\/stream-exchange\.js$/, bundles.stream),
];

/** What a short verb loads when it first needs it. */
const lateForShort = [
  ...lateBundles,
  requiredBundle(/^#app\/client$/, bundles.starting),
  requiredBundle(/^#keys$/, bundles.keys),
  requiredBundle(/^#vt\/widths$/, bundles.widths),
  requiredBundle(/^smol-toml$/, bundles.toml),
  requiredBundle(/^#wire\/service$/, bundles.client),
  requiredBundle(/^#watch$/, bundles.watch),
  // A module that is loaded on demand and is in the same bundle makes esbuild wrap all that it shares with it.
  requiredBundle(/\/silent-daemon\.js$/, bundles.silentDaemon),
  requiredBundle(/\/watch-list\.js$/, bundles.watchList),
];

/** What the person's terminal loads when it first needs it. */
const lateForTui = [
  requiredBundle(/^#watch$/, bundles.watch),
  requiredBundle(/^#vt$/, bundles.vt),
  requiredBundle(/^#mirror$/, bundles.mirror),
  requiredBundle(/^#format$/, bundles.format),
  requiredBundle(/\/overview\.js$/, bundles.overview),
  requiredBundle(/\/player\/play\.js$/, bundles.player),
];

/** Less for Node to read and parse. Stack traces keep names. */
const denser = { minifyWhitespace: true, minifySyntax: true, lineLimit: 160 };

/**
 * @param {string} root
 * @param {readonly { readonly output: string }[]} all
 */
function isCurrent(root, all) {
  const dist = join(root, 'dist');
  const sizes = all.map(
    ({ output }) => statSync(join(dist, output), { throwIfNoEntry: false })?.mtimeMs,
  );
  const oldestMs = Math.min(...sizes.map((each) => each ?? Number.NEGATIVE_INFINITY));
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js') && !path.startsWith('web/'))
    .map((path) => join(dist, path));
  if (!hasPackages(root, 'bundle')) return false;
  const own = [
    join(root, 'package.json'),
    ...['bundle.mjs', 'without-texts.mjs'].map((name) => join(root, 'scripts/steps', name)),
  ];
  return [...compiled, ...own].every((path) => statSync(path).mtimeMs <= oldestMs);
}
