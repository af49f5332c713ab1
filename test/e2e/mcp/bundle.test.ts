import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { pack } from '../../../scripts/mcpb/pack.mjs';
import { packedPtyPackages } from '../../../scripts/mcpb/pty-packages.mjs';
import { root } from '../../../scripts/root.mjs';
import { runNode } from '../../../scripts/steps/run.mjs';
import { tools } from '../../../scripts/steps/tools.mjs';
import { Place } from '../../support/command/vtr-command.ts';
import { type Manifest, startBundle } from '../../support/mcp/bundle-host.ts';
import { McpHost } from '../../support/mcp/mcp-client.ts';
import { provided } from '../../support/run/needs.ts';

const manifest: Manifest = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));

const mcpb = async (...args: readonly string[]): Promise<void> => {
  const { status, output } = await runNode(tools.mcpb, args, { cwd: root });
  expect([status, output]).toEqual([0, expect.any(String)]);
};

describe('manifest.json', () => {
  it('is valid', () => mcpb('validate', join(root, 'manifest.json')));

  it('lists the tools of the server, in their order', async () => {
    const host = await McpHost.start(new Place());
    const { tools: listed } = await host.client.listTools();
    expect(manifest.tools.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
  });

  it('has the options, with the values that the server accepts', () => {
    const bounds = Object.entries(manifest.user_config).map(([key, { type, min, max }]) =>
      type === 'number' ? [key, min, max] : [key],
    );
    expect(bounds).toEqual([
      ['default_rows', 1, 1000],
      ['default_cols', 1, 1000],
      ['default_shell'],
      ['term'],
      ['scrollback_limit', 0, 1_000_000],
      ['prompt_pattern'],
      ['max_sessions', 1, 100_000],
      ['answers'],
    ]);
  });
});

/** Fetched from the registry once per clone. */
const packages = await packedPtyPackages(root).catch(() => null);

describe('the bundle', () => {
  const packed = provided(packages !== null, 'needs the npm registry');

  /** Unpacked into a directory whose name has spaces, as with hosts on macOS. */
  async function unpacked(place: Place): Promise<string> {
    const file = join(place.directory, 'vtr.mcpb');
    await pack(root, packages ?? new Map(), file);
    const directory = join(place.directory, 'Claude Extensions/vtr');
    await mcpb('unpack', file, directory);
    return directory;
  }

  const filesOf = (directory: string): string[] =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(directory, path)).isFile(),
    );

  /** The environment that hosts pass to servers, with the test's own socket. */
  const variablesOf = (place: Place): Readonly<Record<string, string>> => ({
    HOME: place.directory,
    PATH: process.env['PATH'] ?? '',
    SHELL: '/bin/bash',
    TERM: 'dumb',
    USER: 'somebody',
    VTR_SOCKET: place.socket,
  });

  // biome-ignore lint/suspicious/noExplicitAny: the tests check the tools' answers
  const call = async (client: Client, name: string, args: object): Promise<any> =>
    (await client.callTool({ name: `terminal__${name}`, arguments: { ...args } }))
      .structuredContent;

  /** The platform in a binding's file header: offset and bytes, in Mach-O and in ELF. */
  const machines: Readonly<Record<string, readonly [offset: number, machine: number]>> = {
    'darwin-arm64': [4, 0x0c],
    'darwin-x64': [4, 0x07],
    'linux-arm64': [18, 0xb7],
    'linux-x64': [18, 0x3e],
  };

  packed('holds the binding for four kinds of machines, and what macOS starts', async () => {
    const directory = await unpacked(new Place());
    for (const [target, [offset, machine]] of Object.entries(machines)) {
      const prebuilt = `node_modules/@lydell/node-pty-${target}/prebuilds/${target}`;
      const binding = readFileSync(join(directory, prebuilt, 'pty.node'));
      expect(binding.readUInt16LE(offset), target).toBe(machine);
      if (target.startsWith('linux')) continue;
      expect(statSync(join(directory, prebuilt, 'spawn-helper')).mode & 0o777).toBe(0o755);
    }
  });

  packed('[S1.20] runs where a host has unpacked it and lost the modes', async () => {
    const place = new Place();
    const directory = await unpacked(place);
    for (const path of filesOf(directory)) chmodSync(join(directory, path), 0o600);
    const client = await startBundle(manifest, directory, {}, variablesOf(place));
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
    const session = await call(client, 'create_session', {});
    expect(session).toMatchObject({ dimensions: { rows: 24, cols: 80 }, ready: true });
    const { session_id } = session;
    const ran = await call(client, 'run', { session_id, line: 'echo $TERM; pwd; (exit 3)' });
    expect(ran).toMatchObject({ content: `xterm-256color\n${place.directory}`, exit_code: 3 });
  });

  packed('[S1.20] takes the options that a person has set', async () => {
    const place = new Place();
    const directory = await unpacked(place);
    const values = { default_rows: '30', default_cols: '100', term: 'vt220', max_sessions: '1' };
    const client = await startBundle(manifest, directory, values, variablesOf(place));
    const spawn = { program: 'sh', args: ['-c', 'echo $TERM; stty size'] };
    const session = await call(client, 'create_session', spawn);
    expect(session).toMatchObject({ dimensions: { rows: 30, cols: 100 } });
    const read = { session_id: session.session_id, wait_for_exit: true };
    expect(await call(client, 'read', read)).toMatchObject({ content: 'vt220\n30 100' });
  });
});
