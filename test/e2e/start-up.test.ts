import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { shortVerbNames } from '../../src/app/cli/verbs/short-verb-names.ts';
import { Place } from '../support/command/vtr-command.ts';
import { tree } from '../support/tree.ts';
import { AttachedTerminal } from '../support/tui/attached-terminal.ts';

/**
 * Records at the exit which of Node's modules, which files and which bundles were loaded, and the
 * bundles whose compiled code was used.
 */
const witness = `
  const { appendFileSync } = require('node:fs');
  const { basename } = require('node:path');
  const vm = require('node:vm');
  // A machine that is slow makes a command look whether the daemon responds, which loads more.
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...args) => setTimeout(run, ms * 100, ...args);
  const before = new Set(process.moduleLoadList);
  const bundles = [];
  const compiled = [];
  vm.Script = class extends vm.Script {
    constructor(source, options) {
      super(source, options);
      const name = basename(options.filename);
      bundles.push(name);
      if (this.cachedDataRejected === false) compiled.push(name);
    }
  };
  process.on('exit', () => {
    const loaded = process.moduleLoadList.filter((name) => !before.has(name));
    const files = Object.keys(require.cache).filter((file) => file !== __filename).map((file) => basename(file));
    const line = JSON.stringify({ verb: process.argv[2], loaded, files, bundles, compiled });
    appendFileSync(process.env.WITNESS, line + '\\n');
  });
`;

interface Loaded {
  /** The names of files that Node loaded. */
  readonly files: readonly string[];
  /** The names of bundles, in their order. */
  readonly bundles: readonly string[];
  /** Those that were not compiled again. */
  readonly compiled: readonly string[];
  /** Public modules of Node, in addition to those of its start. */
  readonly modules: readonly string[];
}

/** What a command loads. */
async function loadedBy(
  words: readonly string[],
  { input = '', place = new Place(), env = {}, cwd = place.directory }: LoadOptions = {},
): Promise<Loaded> {
  await place.ok('spawn', 'one', '--reuse', '--', 'cat');
  const directory = tree({ 'witness.cjs': witness });
  const report = join(directory, 'report.json');
  const options = `--require=${directory}/witness.cjs ${env['NODE_OPTIONS'] ?? ''}`;
  const { status } = await place.vtr(words, {
    env: { ...env, NODE_OPTIONS: options, WITNESS: report },
    input,
    cwd,
  });
  expect(status).toBe(0);
  return loadedIn(report);
}

/** @param report of the witness */
function loadedIn(report: string): Loaded {
  const { loaded, files, bundles, compiled } = JSON.parse(readFileSync(report, 'utf8'));
  const modules = (loaded as string[])
    .filter((name) => name.startsWith('NativeModule ') && !name.includes('internal/'))
    .map((name) => name.slice('NativeModule '.length))
    .sort();
  return { files, bundles, compiled, modules };
}

interface LoadOptions {
  readonly input?: string;
  readonly place?: Place;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Each takes milliseconds to load; none of these verbs needs it. */
const heavy = [
  ...['child_process', 'crypto', 'http', 'http2', 'https', 'perf_hooks', 'tls', 'url'],
  'worker_threads',
];
/** These take a quarter of the start of Node.js. `vtr connect` passes bytes on. */
const ofStreams = ['net', 'stream'];

/** A flag with which the daemon is not asked to run a verb. */
const runHere = (words: readonly string[], { socket }: Place) =>
  words.length === 1 && words[0] === 'connect' ? words : [...words, '--coordinator', socket];

describe('a short command', () => {
  it.each([
    [['screen', 'one']],
    [['ls', '--json']],
    [['send', 'one', 'x']],
    [['key', 'one', 'enter']],
    [['read', 'one', '--tail', '5']],
    [['info', 'one']],
    [['commands', 'one']],
  ])('that the daemon runs loads nothing but how to ask for that: vtr %j', async (words) => {
    const { files, bundles, modules } = await loadedBy(words);
    expect(files).toEqual(['vtr.cjs']);
    expect([bundles, modules]).toEqual([[], []]);
  });

  it.each([
    [['screen', 'one']],
    [['ls']],
    [['send', 'one', 'x']],
    [['key', 'one', 'enter']],
    [['idle', 'one', '--idle', '1ms']],
    [['wait', 'one', '--idle', '1ms', '--exit']],
    [['read', 'one', '--tail', '5']],
    [['info', 'one']],
    [['commands', 'one']],
    [['connect']],
  ])('loads one bundle and little of Node: vtr %j', async (words) => {
    const place = new Place();
    const { files, bundles, modules } = await loadedBy(runHere(words, place), { place });
    expect(files).toEqual(['vtr.cjs']);
    expect(bundles).toEqual([`vtr-short-${words[0]}.cjs`]);
    const unneeded = words[0] === 'connect' ? heavy : [...heavy, ...ofStreams];
    expect(modules.filter((name) => unneeded.includes(name))).toEqual([]);
  });

  it.each([[{ NODE_PENDING_DEPRECATION: '1' }], [{ NODE_OPTIONS: '--pending-deprecation' }]])(
    'uses node:net where Node would warn of its own pipes: %j',
    async (env) => {
      const place = new Place();
      const { bundles, modules } = await loadedBy(['screen', 'one'], { place, env });
      expect(bundles).toEqual(['vtr-short-screen.cjs', 'vtr-stream.cjs']);
      expect(modules).toContain('net');
      expect(await place.vtr(['ls', '--names'], { env })).toMatchObject({
        stdout: 'one\n',
        stderr: '',
      });
    },
  );
});

it('vtr attach shows a session before it loads what starts programs and measures durations', async () => {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'sh', '-c', 'echo text; exec cat');
  const directory = tree({ 'witness.cjs': witness });
  const report = join(directory, 'report.json');
  const env = { NODE_OPTIONS: `--require=${directory}/witness.cjs`, WITNESS: report };
  const person = await AttachedTerminal.start(place, ['attach', 'one'], { env });
  await person.sees('^text');
  await person.keys('ctrl+b', 'd');
  await person.end();
  const { modules, bundles } = loadedIn(report);
  expect(bundles).toContain('vtr-tui.cjs');
  expect(modules.filter((name) => heavy.includes(name))).toEqual([]);
});

it('the code of pictures is loaded by verbs that make them', async () => {
  const cast = `${JSON.stringify({ version: 2, width: 9, height: 2 })}\n[0, "o", "text"]\n`;
  const directory = tree({ 'a.cast': cast, 'a.tape': 'Type "x"', 'b.tape': 'Screenshot b.svg' });
  const bundlesOf = async (...words: string[]) => {
    const { bundles } = await loadedBy(words, { cwd: directory });
    return bundles.filter((name) => /recordings|image|gif/.test(name));
  };
  const png = ['export', 'a.cast', '-o', 'a.png'];
  expect(await bundlesOf('export', 'a.cast', '-o', '-', '--format', 'txt')).toEqual([
    'vtr-recordings.cjs',
  ]);
  expect(await bundlesOf(...png)).toEqual(['vtr-recordings.cjs', 'vtr-image.cjs']);
  expect(await bundlesOf('test', 'a.tape')).toEqual([]);
  expect(await bundlesOf('test', 'b.tape')).toEqual(['vtr-recordings.cjs', 'vtr-image.cjs']);
});

/** Those that call a coordinator: `connect` passes bytes on. */
const calling = shortVerbNames.filter((name) => name !== 'connect');

it.each([...calling.map((name) => `vtr-short-${name}.cjs`), 'vtr-command.cjs'])(
  '%s does not contain the library for protobuf',
  (name) => {
    // The bundler breaks long lines, also within a text.
    const command = readFileSync(join(root, 'dist', name), 'utf8').replaceAll('\\\n', '');
    expect(command.includes('/vtr.VTR/')).toBe(true);
    expect(command.includes('protobuf')).toBe(false);
  },
);

it('the widths of characters are loaded where a character needs them', async () => {
  for (const name of shortVerbNames) {
    const code = readFileSync(join(root, 'dist', `vtr-short-${name}.cjs`), 'utf8');
    expect(code).not.toContain('wideRanges');
  }
  expect(readFileSync(join(root, 'dist/vtr-widths.cjs'), 'utf8')).toContain('wideRanges');
  const place = new Place();
  await place.ok('spawn', 'wide', '--cwd', join(tree({ '日本/a': '' }), '日本'), '--', 'cat');
  expect((await loadedBy(runHere(['ls'], place), { place })).bundles).toEqual([
    'vtr-short-ls.cjs',
    'vtr-widths.cjs',
  ]);
});

it('a daemon answers commands without loading Fetch', async () => {
  const place = new Place();
  const directory = tree({ 'witness.cjs': witness });
  const report = join(directory, 'report.json');
  const env = { NODE_OPTIONS: `--require=${directory}/witness.cjs`, WITNESS: report };
  await place.vtr(['spawn', 'one', '--', 'cat'], { env });
  await place.vtr(['serve', '--stop']);
  const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
  const daemon = lines
    .map((line) => JSON.parse(line))
    .find(({ bundles }) => bundles.includes('vtr-daemon.cjs'));
  expect(daemon.loaded).toContain('NativeModule http2');
  expect(daemon.loaded.filter((name: string) => name.includes('undici'))).toEqual([]);
});

describe('compiled code', () => {
  /** A user whose cache is empty. */
  const newUser = () => {
    const place = new Place();
    const cache = tree();
    const loads = (words: readonly string[], env = {}) =>
      loadedBy(runHere(words, place), { place, env: { XDG_CACHE_HOME: cache, ...env } });
    const files = () =>
      readdirSync(cache, { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile())
        .map((each) => join(each.parentPath, each.name));
    return { loads, files };
  };

  it('is used by the next command, for each short verb', async () => {
    const { loads, files } = newUser();
    expect((await loads(['screen', 'one'])).compiled).toEqual([]);
    expect(files()).toHaveLength(1);
    expect((await loads(['screen', 'one'])).compiled).toEqual(['vtr-short-screen.cjs']);
    expect((await loads(['ls'])).compiled).toEqual([]);
    expect((await loads(['resize', 'one', '90', '20'])).compiled).toEqual([]);
    expect((await loads(['resize', 'one', '91', '20'])).compiled).toEqual(['vtr-command.cjs']);
    expect(files()).toHaveLength(3);
  });

  it('is made again if V8 rejects it', async () => {
    const { loads, files } = newUser();
    await loads(['ls']);
    const [file = ''] = files();
    writeFileSync(file, 'not code of V8');
    expect((await loads(['ls'])).compiled).toEqual([]);
    expect((await loads(['ls'])).compiled).toEqual(['vtr-short-ls.cjs']);
    expect((await loads(['ls'], { NODE_OPTIONS: '--jitless' })).compiled).toEqual([]);
  });

  it.each([
    [{ NODE_DISABLE_COMPILE_CACHE: '1' }],
    [{ XDG_CACHE_HOME: '/dev/null' }],
    [{ XDG_CACHE_HOME: '/proc' }],
  ])('is not needed: %j', async (env) => {
    const { loads, files } = newUser();
    expect((await loads(['ls'], env)).compiled).toEqual([]);
    expect((await loads(['ls'], env)).compiled).toEqual([]);
    expect(files()).toEqual([]);
  });
});

describe('the MCP server', () => {
  it('lists its tools without loading the client of a daemon', async () => {
    const client = { protocolVersion: '2025-06-18', capabilities: {} };
    const params = { ...client, clientInfo: { name: 'x', version: '1' } };
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
    const { modules } = await loadedBy(['mcp'], { input });
    expect(modules).toContain('net');
    expect(modules.filter((name) => ['http2', 'https', 'tls', 'zlib'].includes(name))).toEqual([]);
  });
});

describe('a runtime that cannot run vtr', () => {
  it('is told so before a daemon is started', async () => {
    // What Bun says of itself.
    const bun = tree({
      'bun.cjs': `Object.defineProperty(process, 'versions', { value: { ...process.versions, bun: '1.4.5' } });`,
    });
    const place = new Place();
    const env = { NODE_OPTIONS: `--require ${join(bun, 'bun.cjs')}` };
    const { status, stderr } = await place.vtr(['spawn', 'x', '--', 'sh'], { env });
    expect(stderr).toMatch(
      /^vtr: Bun cannot run vtr; use Node\.js 20\.19 or newer: node '.+vtr\.cjs' /,
    );
    expect(status).toBe(8);
    expect((await place.vtr(['serve', '--stop'])).status).toBe(3);
  });
});
