import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hasPackages, keepPackages } from './notices.mjs';
import { withoutTexts } from './without-texts.mjs';

const entry = 'src/web/main.tsx';
const styles = 'src/web/app.css';
/** The script that the page contains. */
const early = 'page/early-input.ts';
/** Files with fixed names. Browsers ask for them again. */
const fixed = ['manifest.webmanifest', 'icon.svg'];
/** The service worker. Browsers take a new one when its text changes, so it has the version of the other files. */
const worker = 'worker.js';
/** Pictures, which compress no further. */
const icons = 'icons';

/** The rooms of which the page contains code. A change there makes it again. */
const sources = [
  'base',
  'model',
  'messages',
  'keys',
  'vt',
  'recording',
  'replay',
  'mirror',
  'shapes',
  'web',
];

/**
 * Makes the web page in dist/web when a source is newer: `index.html` with one short script in it, and assets whose names contain a
 * hash of their content, among them the script that the page loads on demand. Each file is there as it is, and compressed with gzip and brotli.
 *
 * @param {string} root
 */
export async function webPage(root) {
  const directory = join(root, 'dist', 'web');
  if (isCurrent(root, join(directory, 'index.html'))) return;
  // Set-up imports this file before packages are installed.
  const { build } = await import('esbuild');
  /** @type {import('esbuild').BuildOptions} */
  const usual = {
    absWorkingDir: root,
    bundle: true,
    minify: true,
    target: ['chrome109', 'firefox115', 'safari16.4'],
    logLevel: 'error',
  };
  const { outputFiles, metafile } = await build({
    ...usual,
    entryPoints: [entry, styles].map((path) => ({ in: join(root, path), out: 'app' })),
    write: false,
    metafile: true,
    format: 'esm',
    splitting: true,
    conditions: ['vtr-source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [withoutTexts],
    legalComments: 'none',
    loader: { '.woff2': 'file' },
    entryNames: 'assets/[name].[hash]',
    chunkNames: 'assets/[name].[hash]',
    assetNames: 'assets/[name].[hash]',
    publicPath: '/',
    outdir: directory,
  });
  const inline = await build({
    ...usual,
    entryPoints: [join(root, 'src/web', early)],
    write: false,
    format: 'iife',
  });
  keepPackages(root, 'web-page', Object.keys(metafile.inputs));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(join(directory, 'assets'), { recursive: true });
  let html = readFileSync(join(root, 'src/web/index.html'), 'utf8');
  for (const { path, contents } of outputFiles) {
    if (path.endsWith('.woff2')) {
      // It is compressed. The script asks for it before the style sheet is used.
      writeFileSync(path, contents);
      html = html.replace(
        `"/assets/${basename(path).replace(/\..*/, '')}.woff2"`,
        `"/assets/${basename(path)}"`,
      );
      continue;
    }
    write(path, contents);
    html = html.replace(`"/assets/${withoutHash(path)}"`, `"/assets/${basename(path)}"`);
  }
  const { first, later } = scriptsOf(root, directory, metafile.outputs);
  const preloads = first.map((path) => `<link rel="modulepreload" href="${path}" />\n    `);
  html = html.replace('<script type', `${preloads.join('')}<script type`);
  html = html.replace(`/* ${early} */`, () => inline.outputFiles[0]?.text.trim() ?? '');
  for (const name of fixed) write(join(directory, name), readFileSync(join(root, 'src/web', name)));
  cpSync(join(root, 'src/web', icons), join(directory, icons), { recursive: true });
  const version = hashOf(html);
  const script = readFileSync(join(root, 'src/web', worker), 'utf8')
    .replace("'VERSION'", `'${version}'`)
    .replace("'LATER'", `'${later.join(' ')}'`);
  write(join(directory, worker), Buffer.from(script));
  // Last: it shows that the others are there.
  write(join(directory, 'index.html'), Buffer.from(html));
}

/** Returns `app.js` for `app.HASH.js`. @param {string} path */
const withoutHash = (path) => basename(path).replace(/\.[^.]+(?=\.\w+$)/, '');

/**
 * Returns the paths of the scripts that the page's own script imports at once, and of those that it loads on demand.
 *
 * @param {string} root
 * @param {string} directory
 * @param {import('esbuild').Metafile['outputs']} outputs
 */
function scriptsOf(root, directory, outputs) {
  const scripts = Object.keys(outputs).filter((path) => path.endsWith('.js'));
  const main = scripts.filter((path) => outputs[path]?.entryPoint === entry);
  const first = new Set(main);
  for (const path of first) {
    for (const { kind, path: other } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') first.add(other);
    }
  }
  const address = (/** @type {string} */ path) => `/${relative(directory, join(root, path))}`;
  return {
    first: [...first].filter((path) => !main.includes(path)).map(address),
    later: scripts.filter((path) => !first.has(path)).map(address),
  };
}

/** @param {string | Uint8Array} contents */
const hashOf = (contents) =>
  createHash('sha256').update(contents).digest('base64url').slice(0, 12).replace(/[-_]/g, '0');

/** @param {string} path @param {Uint8Array} contents */
function write(path, contents) {
  const best = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(contents, best));
  writeFileSync(path, contents);
}

/** @param {string} root @param {string} target */
function isCurrent(root, target) {
  const madeMs = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
  const files = sources.flatMap((room) =>
    readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' }).map((path) =>
      join(root, 'src', room, path),
    ),
  );
  if (!hasPackages(root, 'web-page')) return false;
  const own = [
    join(root, 'package-lock.json'),
    ...['web-page.mjs', 'without-texts.mjs'].map((name) => join(root, 'scripts/steps', name)),
  ];
  return [...files, ...own].every((path) => statSync(path).mtimeMs <= madeMs);
}
