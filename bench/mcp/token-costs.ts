import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { PeerPackages } from './peer-packages.ts';
import {
  type ServerCommand,
  ServerProcess,
  shownToModel,
  type ToolResult,
} from './server-process.ts';
import { type Place, peerServer, vtrServer } from './servers.ts';

/** The text that a model sees of one server; null when the server cannot be run. */
interface Shown {
  readonly tools: string;
  /** Without output schemas, which some hosts do not show. */
  readonly inputs: string;
  readonly listing: string;
  readonly tests: string;
  readonly lastOfTests: string | null;
  readonly screen: string | null;
  readonly poll: string;
}

type OfCalls = Omit<Shown, 'tools' | 'inputs'>;

export const jobs: readonly (readonly [keyof Shown, string])[] = [
  ['tools', 'tools/list'],
  ['inputs', 'the same without output schemas'],
  ['listing', '`ls -la` of 20 files'],
  ['tests', 'a failing test run of 500 lines'],
  ['lastOfTests', 'the same, at most 40 lines'],
  ['screen', 'a screen of vim, 80x24'],
  ['poll', 'nothing new'],
];

export interface TokenCosts {
  readonly name: string;
  /** By the keys of {@link jobs}. */
  readonly tokens: Readonly<Record<keyof Shown, number | null>>;
}

/** Each server does the same jobs, in a directory with the same files. */
export async function measureTokens(place: Place, peers: PeerPackages): Promise<TokenCosts[]> {
  const directory = prepared(place);
  const commander = peers.fileOf('@wonderwhy-er/desktop-commander', 'dist/index.js');
  const shell = peers.fileOf('@mako10k/mcp-shell-server', 'dist/index.js');
  const costs: TokenCosts[] = [];
  const add = async (
    name: string,
    command: ServerCommand,
    show: (server: ServerProcess) => Promise<OfCalls>,
  ) => {
    const server = await ServerProcess.start({ ...command, cwd: directory });
    try {
      const tools = await server.tools();
      const shown: Shown = {
        tools: JSON.stringify(tools),
        inputs: JSON.stringify(tools.map(({ outputSchema: _, ...tool }) => tool)),
        ...(await show(server)),
      };
      const counted = jobs.map(([job]) => [job, countOf(shown[job], peers)]);
      costs.push({ name, tokens: Object.fromEntries(counted) });
    } finally {
      await server.stop();
    }
  };
  await add('vtr mcp', vtrServer(place, ['--embedded']), shownByVtr);
  await add('desktop-commander 0.2.52', peerServer(place, commander), shownByCommander);
  await add('mcp-shell-server 2.7.1', peerServer(place, shell), shownByShellServer);
  return costs;
}

const countOf = (text: string | null, { countTokens }: PeerPackages): number | null =>
  text === null ? null : countTokens(text);

const testRun = 'node tests.mjs';

/** Prints 490 passed tests and one failure. */
const tests = `
for (let n = 1; n <= 490; n++) console.log('ok ' + n + ' - the thing number ' + n + ' does what it should');
console.log('not ok 491 - the last thing');
for (const line of ['---', 'expected: 1', 'actual: 2', 'at: src/thing.ts:12:3', '...']) console.log('  ' + line);
console.log('# tests 491\\n# pass 490\\n# fail 1');
process.exitCode = 1;
`;

function prepared({ directory }: Place): string {
  const work = join(directory, 'work');
  mkdirSync(work);
  for (let file = 0; file < 18; file++) {
    writeFileSync(join(work, `part-${file}.ts`), 'x'.repeat(100 * file));
  }
  writeFileSync(join(work, 'tests.mjs'), tests);
  writeFileSync(join(work, 'file.txt'), 'first\nsecond\nthird\n');
  return work;
}

async function shownByVtr(server: ServerProcess): Promise<OfCalls> {
  const shown = async (tool: string, args: object) =>
    shownToModel(await server.call(`terminal__${tool}`, { ...args }));
  const started = async (args: object) => {
    const session = await server.call('terminal__create_session', { ...args });
    return { session_id: session.structuredContent?.['session_id'] };
  };
  const shell = await started({ program: 'bash' });
  const vim = await started({ program: 'vim', args: ['-u', 'NONE', 'file.txt'] });
  return {
    listing: await shown('run', { ...shell, line: 'ls -la' }),
    tests: await shown('run', { ...shell, line: testRun }),
    lastOfTests: await shown('run', { ...shell, line: testRun, max_lines: 40 }),
    screen: await shown('read', { ...vim, wait_idle_ms: 300 }),
    poll: await shown('read', { ...shell, view: 'new', wait_idle_ms: 100 }),
  };
}

/** Has no terminal: vim reports that, and draws nothing. */
async function shownByCommander(server: ServerProcess): Promise<OfCalls> {
  const start = async (command: string, timeout_ms = 5_000) =>
    shownToModel(await server.call('start_process', { command, timeout_ms }));
  const listing = await start('ls -la');
  const tests = await start(testRun);
  const pid = Number(/PID (\d+)/.exec(await start('cat', 300))?.[1]);
  const poll = shownToModel(await server.call('read_process_output', { pid, timeout_ms: 100 }));
  return { listing, tests, lastOfTests: null, screen: null, poll };
}

async function shownByShellServer(server: ServerProcess): Promise<OfCalls> {
  const operate = (args: object) => server.call('terminal_operate', { ...args });
  const size = { dimensions: { width: 80, height: 24 } };
  const start = async (command: string, args: object) =>
    shownToModel(await operate({ command, output_delay_ms: 2_000, ...size, ...args }));
  const listing = await start('ls -la', { output_lines: 40 });
  const tests = await start(testRun, { output_lines: 1_000 });
  const lastOfTests = await start(testRun, { output_lines: 40 });
  const vim = await operate({ command: 'vim -u NONE file.txt', output_delay_ms: 2_000, ...size });
  const terminal_id = terminalIn(vim);
  await setTimeout(500);
  const poll = shownToModel(await operate({ terminal_id, ...size }));
  return { listing, tests, lastOfTests, screen: shownToModel(vim), poll };
}

const terminalIn = (result: ToolResult): unknown =>
  (JSON.parse(shownToModel(result)) as { readonly terminal_id?: unknown }).terminal_id;
