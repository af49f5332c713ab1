import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.mjs';
import { Place } from '../support/command/vtr-command.ts';
import { tree } from '../support/tree.ts';

/** Records at the exit which of Node's modules, and which files, were loaded. */
const witness = `
  const { writeFileSync } = require('node:fs');
  const before = new Set(process.moduleLoadList);
  process.on('exit', () => {
    const loaded = process.moduleLoadList.filter((name) => !before.has(name));
    const files = Object.keys(require.cache).filter((file) => file !== __filename);
    writeFileSync(process.env.WITNESS, JSON.stringify({ loaded, files }));
  });
`;

/** The files and modules that a command loads in addition to those of Node's start. */
async function loadedBy(words: readonly string[], input = '') {
  const place = new Place();
  await place.ok('spawn', 'one', '--', 'cat');
  const directory = tree({ 'witness.cjs': witness });
  const report = join(directory, 'report.json');
  const env = { NODE_OPTIONS: `--require=${directory}/witness.cjs`, WITNESS: report };
  const { status } = await place.vtr(words, { env, input });
  expect(status).toBe(0);
  const { loaded, files } = JSON.parse(readFileSync(report, 'utf8'));
  return {
    files: files as string[],
    modules: (loaded as string[])
      .filter((name) => name.startsWith('NativeModule ') && !name.includes('internal/'))
      .map((name) => name.slice('NativeModule '.length))
      .sort(),
  };
}

/** Each takes milliseconds to load; none of these verbs needs it. */
const heavy = ['child_process', 'crypto', 'http', 'http2', 'https', 'tls', 'url', 'worker_threads'];

describe('a short command', () => {
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
  ])('loads one file and little of Node: vtr %j', async (words) => {
    const { files, modules } = await loadedBy(words);
    expect(files).toHaveLength(1);
    expect(files[0]).toMatch(/dist\/vtr\.cjs$/);
    expect(modules.filter((name) => heavy.includes(name))).toEqual([]);
  });
});

it('the command does not contain the library for protobuf', () => {
  const command = readFileSync(join(root, 'dist/vtr.cjs'), 'utf8');
  expect(command).toContain('/vtr.VTR/');
  expect(command).not.toContain('protobuf');
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
    const { modules } = await loadedBy(['mcp'], input);
    expect(modules).toContain('net');
    expect(modules.filter((name) => ['http2', 'https', 'tls', 'zlib'].includes(name))).toEqual([]);
  });
});
