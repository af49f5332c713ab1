import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../../scripts/root.mjs';
import { Place, vtrFile } from '../../support/command/vtr-command.ts';

interface Started {
  readonly host: ChildProcess;
  readonly server: number;
  readonly program: number;
  readonly session_id: string;
}

/** A host whose server is waiting. */
async function waiting(place: Place, flags: readonly string[]): Promise<Started> {
  const program = join(root, 'test/programs/mcp-host.mjs');
  const host = spawn(process.execPath, [program, vtrFile, 'mcp', ...flags], {
    cwd: place.directory,
    env: place.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: host.stdout }), 'line');
  return { host, ...JSON.parse(line) };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const gone = (pid: number) => expect.poll(() => isAlive(pid)).toBe(false);

describe('a host that is killed during a wait', () => {
  it('leaves no server; its session stays for the next host', async () => {
    const place = new Place();
    const { host, server, program, session_id } = await waiting(place, []);
    host.kill('SIGKILL');
    await gone(server);
    expect(isAlive(program)).toBe(true);
    expect(await place.ok('ls')).toContain(session_id);
  });

  it('leaves neither server nor programs with --embedded', async () => {
    const { host, server, program } = await waiting(new Place(), ['--embedded']);
    host.kill('SIGKILL');
    await gone(server);
    expect(isAlive(program)).toBe(false);
  });
});

it.each([[[]], [['--embedded']]])(
  'a server whose output nobody reads any more ends, although its input stays open: %j',
  async (flags) => {
    const place = new Place();
    const server = spawn(process.execPath, [vtrFile, 'mcp', ...flags], {
      cwd: place.directory,
      env: place.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const ended = once(server, 'exit');
    server.stdin.write('not JSON\n');
    await once(server.stdout, 'data');
    server.stdout.destroy();
    server.stdin.write('nor is this\n');
    expect(await ended).toEqual([0, null]);
  },
);

it('a server whose answers nobody reads ends on a signal', async () => {
  const place = new Place();
  const server = spawn(process.execPath, [vtrFile, 'mcp', '--log-level', 'debug'], {
    cwd: place.directory,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  // Errors repeat the name; all of them together are more than a pipe takes.
  const read = { name: 'terminal__read', arguments: { session_id: 'x'.repeat(100_000) } };
  const calls = Array.from({ length: 20 }, (_, id) => ({ id, method: 'tools/call', params: read }));
  for (const call of calls) server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...call })}\n`);
  let left = calls.length;
  for await (const _ of createInterface({ input: server.stderr })) if (--left === 0) break;
  server.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('a killed server with --embedded hangs up its programs', async () => {
  const { server, program } = await waiting(new Place(), ['--embedded']);
  process.kill(server, 'SIGKILL');
  await gone(program);
});

it('a host that disconnects while it makes a session leaves no server', async () => {
  const place = new Place();
  const server = spawn(process.execPath, [vtrFile, 'mcp'], {
    cwd: place.directory,
    env: place.env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  const clientInfo = { name: 'x', version: '1' };
  const open = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const make = { name: 'terminal__create_session', arguments: { program: 'cat' } };
  const messages = [
    { id: 1, method: 'initialize', params: open },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: make },
  ];
  const lines = messages.map((each) => JSON.stringify({ jsonrpc: '2.0', ...each }));
  server.stdin.end(`${lines.join('\n')}\n`);
  expect(await ended).toEqual([0, null]);
});
