import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connectPtyHost,
  encodeFrame,
  encodeHello,
  type PtyHostProbe,
  probePtyHost,
  protocol,
} from '#pty/hosted';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { ServedPtyd } from '../../../test/support/pty/served-ptyd.ts';
import { provided } from '../../../test/support/run/needs.ts';
import { tree } from '../../../test/support/tree.ts';

const linux = provided(process.platform === 'linux', 'only on Linux: others refuse the connection');

let server: Server | null = null;

afterEach(() => {
  server?.close();
  server = null;
});

/** Listens, and answers connections with bytes. @returns the path */
async function answering(...bytes: readonly Uint8Array[]): Promise<string> {
  const path = join(tree(), 'host');
  server = createServer((connection) => {
    connection.on('error', () => {});
    connection.on('data', () => {});
    for (const each of bytes) connection.write(each);
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
  return path;
}

const later = { min: 7, max: 9, version: '9.9.9', facts: { pid: 4711, running: 3 } };

describe('probePtyHost', () => {
  it('reports what a host has, and does not disturb its coordinator', async () => {
    const served = await ServedPtyd.start();
    const { socket: path } = served;
    expect(await probePtyHost(path)).toMatchObject({ hasCoordinator: false, running: 0 });
    const host = await served.connect();
    const pty = await host.spawn(ptyRequest('sleep', ['1000']));
    const gone = await host.spawn(ptyRequest('true'));
    await gone.exit;
    expect(await probePtyHost(path)).toEqual({
      path,
      state: 'usable',
      version: 'test',
      protocol,
      pid: process.pid,
      startedAtMs: expect.any(Number),
      bootMs: expect.any(Number),
      hasCoordinator: true,
      running: 1,
      exited: 1,
      paused: 0,
    });
    expect(await pty.resize({ cols: 9, rows: 9 })).toBe(0);
    await served.dispose();
  });

  it('reports the version of a host with another protocol', async () => {
    const path = await answering(encodeFrame('hello', {}, encodeHello(later)));
    expect(await probePtyHost(path)).toMatchObject({
      state: 'other_protocol',
      version: '9.9.9',
      protocol: { min: 7, max: 9 },
      pid: 4711,
      running: 3,
      exited: 0,
    });
  });

  it.each<[string, readonly Uint8Array[], PtyHostProbe['state']]>([
    ['says nothing', [], 'silent'],
    ['is something else', [Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')], 'other_protocol'],
    ['sends half of a greeting', [encodeFrame('hello', {}).subarray(0, 9)], 'silent'],
  ])('reports a listener that %s', async (_what, bytes, state) => {
    const path = await answering(...bytes);
    const timeoutMs = state === 'silent' ? 50 : 600_000;
    expect(await probePtyHost(path, { timeoutMs })).toMatchObject({ path, state, pid: 0 });
    expect(existsSync(path)).toBe(true);
  });

  it('does not take a host for gone that has no descriptor for a connection, and finds it later', async () => {
    const path = join(tree(), 'host');
    let connections = 0;
    server = createServer((connection) => {
      connections += 1;
      // libuv accepts and closes a connection for which there is none.
      if (connections < 3) connection.destroy();
      else connection.write(encodeFrame('hello', {}, encodeHello(later)));
    });
    await new Promise<void>((resolve) => server?.listen(path, resolve));
    expect(await probePtyHost(path, { timeoutMs: 0 })).toMatchObject({ state: 'silent' });
    connections = 0;
    const probe = await probePtyHost(path, { timeoutMs: 600_000 });
    expect(probe).toMatchObject({ state: 'other_protocol', pid: 4711 });
    expect(connections).toBe(3);
  });

  linux('reports a listener that accepts no more connections as silent', async () => {
    const path = join(tree(), 'host');
    server = createServer();
    await new Promise<void>((resolve) => server?.listen({ path, backlog: 1 }, resolve));
    const probes = Array.from({ length: 8 }, () => probePtyHost(path, { timeoutMs: 50 }));
    const states = (await Promise.all(probes)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['silent']));
  });

  it('reports that a host is gone', async () => {
    const path = join(tree(), 'none');
    expect(await probePtyHost(path)).toMatchObject({ path, state: 'gone' });
  });
});

describe('connectPtyHost', () => {
  it('refuses a host with another protocol, with both versions and how to end it', async () => {
    const socket = await answering(encodeFrame('hello', {}, encodeHello(later)));
    await expect(connectPtyHost({ socket, version: '1.0.0' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        'the PTY host cannot be reached: vtr 9.9.9 runs there with protocol 7 to 9, and vtr 1.0.0 ' +
        "has protocol 1 to 4; its programs run on; to end them, run 'kill 4711'",
    });
  });
});
