import { existsSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PtyServer } from '#app/ptyd';
import { createPtyHost, type PtyHost } from '#pty';
import {
  connectPtyHost,
  decodeData,
  decodeError,
  encodeFields,
  encodeFrame,
  encodeHello,
  encodeJson,
  type Frame,
  FrameReader,
  protocol,
} from '#pty/hosted';
import { CollectedOutput, collectOutput } from '../../../test/support/pty/collect-output.ts';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { tree } from '../../../test/support/tree.ts';

const hello = (versions = protocol) =>
  encodeFrame(
    'hello',
    {},
    encodeHello({ ...versions, version: 'test', generation: new Uint8Array(16) }),
  );

let socket = '';
let listener: Server;
let served: PtyHost;
let ended: Promise<void>;
const logged: string[] = [];
const hosts: PtyHost[] = [];

/** The server runs in this process, on a real socket. */
beforeEach(async () => {
  socket = join(tree(), 'ptyd');
  served = createPtyHost();
  logged.length = 0;
  ended = new Promise((resolve) => {
    const now = () => ({ wallMs: Date.now(), bootMs: performance.now() });
    const log = (line: string) => void logged.push(line);
    const server = new PtyServer({ host: served, version: 'test', now, log, onEnd: resolve });
    listener = createServer((connection) => server.accept(connection));
  });
  await new Promise<void>((resolve) => listener.listen(socket, resolve));
});
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close({ force: true });
  await served.close({ force: true });
  listener.close();
});

async function connected(): Promise<PtyHost> {
  const host = await connectPtyHost({ socket, version: 'test' });
  hosts.push(host);
  return host;
}

/** A client that does only what a test tells it to. */
class RawClient {
  readonly frames: Frame[] = [];
  readonly #socket: Socket;
  isClosed = false;

  constructor() {
    this.#socket = connect(socket);
    const reader = new FrameReader((frame) => {
      this.frames.push({ ...frame, payload: new Uint8Array(frame.payload) });
    });
    this.#socket.on('data', (chunk) => reader.push(chunk));
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      this.isClosed = true;
    });
  }

  send(...frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.#socket.write(frame);
  }

  of(type: Frame['type']): Frame[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  untilClosed(): Promise<void> {
    return vi.waitFor(() => expect(this.isClosed).toBe(true));
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** The offset after the output that a client has. */
function endOf(client: RawClient): number {
  const last = client.of('data').at(-1);
  if (last === undefined) return 0;
  const { offset, bytes } = decodeData(last.payload);
  return offset + bytes.length;
}

/** Waits until a client has some output, and no more arrives. */
async function untilStill(client: RawClient, least: number): Promise<void> {
  await vi.waitFor(() => expect(endOf(client)).toBeGreaterThan(least), { timeout: 20_000 });
  let before = -1;
  const isStill = () => {
    const now = endOf(client);
    const isSame = now === before;
    before = now;
    expect(isSame).toBe(true);
  };
  await vi.waitFor(isStill, { interval: 200, timeout: 20_000 });
}

describe('the PTY server', () => {
  it('closes a connection that sends nonsense, and nothing else', async () => {
    const host = await connected();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty -echo; echo ready; exec cat']));
    const output = collectOutput(pty);
    await output.untilText('ready');
    let round = 0;
    const property = fc.asyncProperty(fc.uint8Array({ minLength: 4 }), async (bytes) => {
      const client = new RawClient();
      client.send(round % 2 === 0 ? bytes : Buffer.concat([hello(), bytes]));
      client.send(Buffer.alloc(64, 0xff));
      await client.untilClosed();
      round++;
      await pty.write(Buffer.from(`round ${round}.\n`));
      await output.untilText(`round ${round}.`);
    });
    await fc.assert(property, runs(20));
  });

  it('reports why it closes a connection', async () => {
    const client = new RawClient();
    client.send(hello(), encodeFrame('spawn', { request: 1 }, encodeJson({})));
    await client.untilClosed();
    const [error] = client.of('error');
    expect(decodeError(error?.payload ?? new Uint8Array(0)).message).toContain('spawn before take');
    const later = new RawClient();
    later.send(hello({ min: 7, max: 9 }));
    await later.untilClosed();
    expect(logged.at(-1)).toContain('whose protocol is 7 to 9');
  });

  it.each([
    ['is no JSON', encodeFrame('spawn', { request: 1 }, Buffer.from('{'))],
    ['is too short', encodeFrame('resize', { request: 1, session: 1 }, Buffer.of(1))],
    ['comes without a session', encodeFrame('resize', { request: 1 }, Buffer.alloc(4))],
    ['only a host sends', encodeFrame('data', { session: 1 }, Buffer.alloc(30))],
  ])('closes a connection after a frame that %s', async (_what, frame) => {
    const client = new RawClient();
    const spawn = encodeFrame('spawn', { request: 5 }, encodeJson(ptyRequest('sleep', ['100'])));
    client.send(hello(), encodeFrame('take', {}), spawn);
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    client.send(frame);
    await client.untilClosed();
    await ended;
  });

  it.each([
    ['a spawn without fields', encodeFrame('spawn', { request: 1 }, encodeJson({}))],
    ['an unknown session', encodeFrame('write', { request: 1, session: 99 }, Buffer.of(1))],
    [
      'an unknown question',
      encodeFrame('ask', { request: 1, session: 1 }, encodeJson({ ask: 'x' })),
    ],
    ['a size of 0', encodeFrame('resize', { request: 1, session: 1 }, Buffer.alloc(4))],
  ])('answers %s with an error', async (_what, frame) => {
    const client = new RawClient();
    const spawn = encodeFrame('spawn', { request: 5 }, encodeJson(ptyRequest('sleep', ['100'])));
    client.send(hello(), encodeFrame('take', {}), spawn);
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    client.send(frame);
    await vi.waitFor(() => expect(client.of('error')).toMatchObject([{ request: 1 }]));
    expect(client.isClosed).toBe(false);
    client.close();
    await ended;
  });

  it('[S3.27] stops reading a program whose output is not acknowledged, and loses none of it', async () => {
    const client = new RawClient();
    const spawn = encodeFrame('spawn', { request: 1 }, encodeJson(ptyRequest('yes')));
    client.send(hello(), encodeFrame('take', {}), spawn);
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    const session = client.of('started')[0]?.session ?? 0;
    await untilStill(client, 512 * 1024);
    const first = endOf(client);
    expect(first).toBeLessThanOrEqual(1024 * 1024);
    client.send(encodeFrame('ack', {}, encodeFields({ u32: session }, { offset: first })));
    await untilStill(client, first);
    const output = new CollectedOutput();
    for (const { payload } of client.of('data')) output.take(decodeData(payload));
    expect(output.text.slice(0, 9)).toBe('y\r\ny\r\ny\r\n');
    client.close();
    await ended;
  });

  it('holds back a program that is being ended, too', async () => {
    const done = join(tree(), 'done');
    const client = new RawClient();
    const script = `trap '' HUP INT TERM; head -c 20000000 /dev/zero; echo done > ${done}`;
    const spawn = encodeFrame(
      'spawn',
      { request: 1 },
      encodeJson(ptyRequest('sh', ['-c', script])),
    );
    client.send(hello(), encodeFrame('take', {}), spawn);
    await vi.waitFor(() => expect(client.of('data').length).toBeGreaterThan(20));
    const ask = { ask: 'end', options: {} };
    client.send(encodeFrame('ask', { request: 2, session: 1 }, encodeJson(ask)));
    await untilStill(client, 512 * 1024);
    const meanwhile = encodeJson(ptyRequest('sleep', ['1.5']));
    client.send(encodeFrame('spawn', { request: 3 }, meanwhile));
    await vi.waitFor(() => expect(client.of('exited')).toHaveLength(1), { timeout: 20_000 });
    expect(endOf(client)).toBeLessThanOrEqual(1024 * 1024);
    expect(existsSync(done)).toBe(false);
    client.close();
    await ended;
  });

  it('gives its sessions to the coordinator that takes them last', async () => {
    const host = await connected();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'echo ready; exec sleep 100']));
    const output = collectOutput(pty);
    await output.untilText('ready');
    const next = new RawClient();
    next.send(hello(), encodeFrame('take', {}));
    expect(await pty.exit).toEqual({ code: null, signal: 'SIGHUP' });
    await expect(host.spawn(ptyRequest('true'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('another coordinator'),
    });
    const sent = () =>
      Buffer.concat(next.of('data').map(({ payload }) => decodeData(payload).bytes)).toString();
    await vi.waitFor(() => expect(sent()).toContain('ready'));
    next.close();
    await ended;
  });

  it('ends the programs when the coordinator is gone', async () => {
    const host = await connected();
    const pty = await host.spawn(ptyRequest('sleep', ['1000']));
    const client = new RawClient();
    client.send(hello(), encodeFrame('take', {}));
    await pty.exit;
    client.close();
    await ended;
    expect(() => process.kill(pty.pid, 0)).toThrow();
  });
});

describe('a hosted pseudo-terminal whose host is gone', () => {
  it('has ended, and keeps the output that it has', async () => {
    const host = await connected();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty raw; echo ready; sleep 100']));
    const output = collectOutput(pty);
    await output.untilText('ready');
    const notRunning = { code: 'SESSION_NOT_RUNNING' };
    const writing = expect(pty.write(Buffer.alloc(100_000))).rejects.toMatchObject(notRunning);
    const next = new RawClient();
    next.send(hello(), encodeFrame('take', {}));
    const exit = await pty.exit;
    expect(exit).toEqual({ code: null, signal: 'SIGHUP' });
    await writing;
    await expect(pty.write(Buffer.from('x'))).rejects.toMatchObject(notRunning);
    await expect(pty.resize({ cols: 9, rows: 9 })).rejects.toMatchObject(notRunning);
    await expect(pty.signal('TERM', 'leader')).rejects.toMatchObject(notRunning);
    expect(await pty.modes()).toBeNull();
    expect(await pty.usage()).toEqual({ count: 0, residentBytes: 0, cpuMs: 0 });
    const kept = await pty.keptOutput(0);
    expect(Buffer.concat(kept.map(({ bytes }) => bytes))).toEqual(output.bytes);
    expect(await pty.end()).toEqual(exit);
    await host.close();
    next.close();
    await ended;
  });
});

describe('a paused hosted pseudo-terminal', () => {
  it('does not delay the end of the host', async () => {
    const host = await connected();
    const flood = await host.spawn(ptyRequest('yes'));
    const gone = await host.spawn(ptyRequest('sh', ['-c', 'echo last']));
    const output = collectOutput(gone);
    flood.pause();
    gone.pause();
    await vi.waitFor(() => expect(gone.resize({ cols: 9, rows: 9 })).rejects.toThrow());
    await host.close({ force: true });
    expect(await gone.exit).toEqual({ code: 0, signal: null });
    expect(output.text).toBe('last\r\n');
    expect(await flood.exit).toEqual({ code: null, signal: 'SIGKILL' });
    await ended;
  });
});
