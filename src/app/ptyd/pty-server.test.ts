import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ignored } from '#base';
import { decodeError, encodeFields, encodeFrame, encodeJson } from '#pty/hosted';
import { CollectedOutput, collectOutput } from '../../../test/support/pty/collect-output.ts';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import {
  ackFrame,
  helloFrame,
  RawClient,
  ServedPtyd,
  spawnFrame,
  takeFrame,
} from '../../../test/support/pty/served-ptyd.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { tree } from '../../../test/support/tree.ts';

const take = takeFrame();
let served: ServedPtyd;

beforeEach(async () => {
  served = await ServedPtyd.start();
});
afterEach(() => served.dispose());

describe('the PTY server', () => {
  it('closes a connection that sends nonsense, and nothing else', async () => {
    const host = await served.connect();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty -echo; echo ready; exec cat']));
    const output = collectOutput(pty);
    await output.untilText('ready');
    let round = 0;
    const property = fc.asyncProperty(fc.uint8Array({ minLength: 4 }), async (bytes) => {
      const client = new RawClient(served.socket);
      client.send(round % 2 === 0 ? bytes : Buffer.concat([helloFrame(), bytes]));
      client.send(Buffer.alloc(64, 0xff));
      await client.untilClosed();
      round++;
      await pty.write(Buffer.from(`round ${round}.\n`));
      await output.untilText(`round ${round}.`);
    });
    await fc.assert(property, runs(20));
  });

  it('accepts short frames, of few clients, before one takes the sessions', async () => {
    const clients = Array.from({ length: 32 }, () => new RawClient(served.socket));
    await expect.poll(() => clients.every((each) => each.of('hello').length > 0)).toBe(true);
    const host = await served.connect();
    expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(1);
    const long = new RawClient(served.socket);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(3 * 1024 * 1024);
    long.send(helloFrame(), length);
    await long.untilClosed();
    // A connection with the sessions may send more, and does not count.
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty raw -echo; exec cat >/dev/null']));
    ignored(
      host.spawn({ ...ptyRequest('true'), facts: Buffer.alloc(3 * 1024 * 1024) }),
      'the connection may close first',
    );
    await pty.write(Buffer.from('x'));
    for (const client of clients) client.close();
  });

  it('collects garbage after many sessions came and went, but not while somebody types', async () => {
    const host = await served.connect();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty raw -echo; exec cat']));
    for (let time = 0; time < 25; time++) {
      const other = await host.spawn(ptyRequest('true'));
      await other.exit;
      other.forget();
    }
    for (let second = 0; second < 60; second += 4) {
      const output = collectOutput(pty, pty.outputEnd);
      await pty.write(Buffer.from('x'));
      await output.untilText('x');
      served.clock.advance(4_000);
    }
    expect(served.collections).toBe(0);
    served.clock.advance(8_000);
    expect(served.collections).toBe(1);
  });

  it('carries out no request that it reads after its limit', async () => {
    const client = new RawClient(served.socket);
    client.send(helloFrame(), take, spawnFrame(2, 'cat'));
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    const startByMs = performance.now() - 1_000;
    const ask = (question: object) => encodeJson({ ...question, startByMs });
    const size = encodeFields({ u16: 100 }, { u16: 30 }, { offset: Math.floor(startByMs) });
    const session = 1;
    client.send(
      encodeFrame('resize', { request: 3, session }, size),
      encodeFrame('ask', { request: 4, session }, ask({ ask: 'end', options: { force: true } })),
      encodeFrame(
        'ask',
        { request: 5, session },
        ask({ ask: 'signal', signal: 'KILL', target: 'both' }),
      ),
      encodeFrame('ask', { request: 6, session }, encodeJson({ ask: 'usage' })),
    );
    await vi.waitFor(() => expect(client.of('answer').at(-1)).toMatchObject({ request: 6 }));
    const failed = client
      .of('error')
      .map(({ request, payload }) => [request, decodeError(payload).message]);
    const late = expect.stringContaining('the request was not carried out');
    expect(failed).toEqual([3, 4, 5].map((request) => [request, late]));
    expect([client.of('resized'), client.of('answer').map(({ request }) => request)]).toEqual([
      [],
      [99, 6],
    ]);
  });

  it('does not read the requests of a client that does not read its answers', async () => {
    const host = await served.connect({ survival: { again: null } });
    const facts = Buffer.alloc(100_000);
    await host.spawn({ ...ptyRequest('sleep', ['100']), facts });
    const socket = connect(served.socket).pause();
    socket.on('error', () => {});
    const list = encodeFrame('list', { request: 1 });
    socket.write(Buffer.concat([helloFrame(), takeFrame({ again: null })]));
    const requests = Buffer.concat(Array.from({ length: 1_000 }, () => list));
    let bytes = 0;
    const sendMore = () => {
      bytes += requests.length;
      socket.write(requests, (error) => (error ? undefined : sendMore()));
    };
    sendMore();
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = bytes === before;
        before = bytes;
        expect(isStill).toBe(true);
      },
      { interval: 300 },
    );
    expect(bytes).toBeLessThan(2 * 1024 * 1024);
    socket.destroy();
  });

  it('reports why it closes a connection', async () => {
    const client = new RawClient(served.socket);
    client.send(helloFrame(), encodeFrame('spawn', { request: 1 }, encodeJson({})));
    await client.untilClosed();
    const [error] = client.of('error');
    expect(decodeError(error?.payload ?? new Uint8Array(0)).message).toContain('spawn before take');
    const later = new RawClient(served.socket);
    later.send(helloFrame({ min: 7, max: 9 }));
    await later.untilClosed();
    expect(served.logged.at(-1)).toContain('with protocol 7 to 9');
  });

  it.each([
    ['is not valid JSON', encodeFrame('spawn', { request: 1 }, Buffer.from('{'))],
    ['is too short', encodeFrame('resize', { request: 1, session: 1 }, Buffer.of(1))],
    ['has no session', encodeFrame('resize', { request: 1 }, Buffer.alloc(4))],
    ['only a host sends', encodeFrame('data', { session: 1 }, Buffer.alloc(30))],
  ])('closes a connection after a frame that %s', async (_what, frame) => {
    const client = new RawClient(served.socket);
    const spawn = spawnFrame(5, 'sleep', ['100']);
    client.send(helloFrame(), take, spawn);
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    client.send(frame);
    await client.untilClosed();
    await served.ended;
  });

  it.each([
    [
      'a spawn without fields',
      encodeFrame('spawn', { request: 1 }, Buffer.of(2, 0, 0, 0, 123, 125)),
    ],
    ['an unknown session', encodeFrame('write', { request: 1, session: 99 }, Buffer.of(1))],
    [
      'an unknown question',
      encodeFrame('ask', { request: 1, session: 1 }, encodeJson({ ask: 'x' })),
    ],
    ['a size of 0', encodeFrame('resize', { request: 1, session: 1 }, Buffer.alloc(4))],
  ])('answers %s with an error', async (_what, frame) => {
    const client = new RawClient(served.socket);
    const spawn = spawnFrame(5, 'sleep', ['100']);
    client.send(helloFrame(), take, spawn);
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    client.send(frame);
    await vi.waitFor(() => expect(client.of('error')).toMatchObject([{ request: 1 }]));
    expect(client.isClosed).toBe(false);
    client.close();
    await served.ended;
  });

  it('[S3.27] stops reading a program whose output is not acknowledged, and loses none of it', async () => {
    const client = new RawClient(served.socket);
    const spawn = spawnFrame(1, 'yes');
    client.send(helloFrame(), take, spawn);
    await vi.waitFor(() => expect(client.of('started')).toHaveLength(1));
    const session = client.of('started')[0]?.session ?? 0;
    await client.untilStill(512 * 1024);
    const first = client.end;
    expect(first).toBeLessThanOrEqual(1024 * 1024);
    client.send(ackFrame(session, first));
    await client.untilStill(first);
    const output = new CollectedOutput();
    for (const each of client.data) output.take(each);
    expect(output.text.slice(0, 9)).toBe('y\r\ny\r\ny\r\n');
    client.close();
    await served.ended;
  });

  it('holds back a program that is being ended, too', async () => {
    const done = join(tree(), 'done');
    const client = new RawClient(served.socket);
    const script = `trap '' HUP INT TERM; head -c 20000000 /dev/zero; echo done > ${done}`;
    const spawn = spawnFrame(1, 'sh', ['-c', script]);
    client.send(helloFrame(), take, spawn);
    await vi.waitFor(() => expect(client.end).toBeGreaterThan(0));
    const ask = { ask: 'end', options: {} };
    client.send(encodeFrame('ask', { request: 2, session: 1 }, encodeJson(ask)));
    await client.untilStill(512 * 1024);
    client.send(spawnFrame(3, 'sleep', ['1.5']));
    await vi.waitFor(() => expect(client.of('exited')).toHaveLength(1));
    expect(client.end).toBeLessThanOrEqual(1024 * 1024);
    expect(existsSync(done)).toBe(false);
    client.close();
    await served.ended;
  });

  it('gives its sessions to the coordinator that takes them last', async () => {
    const host = await served.connect();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'echo ready; exec sleep 100']));
    const output = collectOutput(pty);
    await output.untilText('ready');
    const next = new RawClient(served.socket);
    const deprivals: string[] = [];
    host.onDeprived((how) => deprivals.push(how));
    next.send(helloFrame(), take, encodeFrame('list', { request: 1 }));
    await vi.waitFor(() => expect(next.of('kept')).toMatchObject([{ session: 1 }]));
    next.send(encodeFrame('follow', { session: 1 }));
    await vi.waitFor(() => expect(deprivals).toEqual(['superseded']));
    await expect(pty.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(pty.end()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect([pty.exitedAtMs, pty.isLost]).toEqual([null, false]);
    await expect(host.spawn(ptyRequest('true'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('another coordinator'),
    });
    await vi.waitFor(() => expect(next.text).toContain('ready'));
    next.close();
    await served.ended;
  });

  it('ends the programs when the coordinator is gone', async () => {
    const host = await served.connect();
    const pty = await host.spawn(ptyRequest('sleep', ['1000']));
    served.breakConnections();
    await pty.exit;
    await served.ended;
    expect(() => process.kill(pty.pid, 0)).toThrow();
  });
});

describe('a hosted pseudo-terminal whose host is gone', () => {
  it('has ended, and keeps the output that it has', async () => {
    const host = await served.connect();
    const pty = await host.spawn(ptyRequest('sh', ['-c', 'stty raw; echo ready; sleep 100']));
    const output = collectOutput(pty);
    await output.untilText('ready');
    const notRunning = { code: 'SESSION_NOT_RUNNING' };
    const writing = expect(pty.write(Buffer.alloc(100_000))).rejects.toMatchObject(notRunning);
    served.breakConnections();
    const exit = await pty.exit;
    expect(exit).toEqual({ code: null, signal: 'SIGHUP' });
    expect(pty.isLost).toBe(true);
    await writing;
    await expect(pty.write(Buffer.from('x'))).rejects.toMatchObject(notRunning);
    await expect(pty.resize({ cols: 9, rows: 9 })).rejects.toMatchObject(notRunning);
    await expect(pty.signal('TERM', 'leader')).rejects.toMatchObject(notRunning);
    expect(await pty.modes()).toBeNull();
    expect(await pty.usage()).toEqual({ count: 0, residentBytes: 0, cpuMs: 0 });
    const chunks = await pty.keptOutput(0);
    expect(Buffer.concat(chunks.map(({ bytes }) => bytes))).toEqual(output.bytes);
    expect(await pty.end()).toEqual(exit);
    await host.close();
    await served.ended;
  });
});

describe('a paused hosted pseudo-terminal', () => {
  it('does not hold back the output of others', async () => {
    const host = await served.connect();
    const floods = await Promise.all([1, 2, 3].map(() => host.spawn(ptyRequest('yes'))));
    const onOutput = floods.map(() => () => {});
    for (const [index, flood] of floods.entries()) flood.readOutput(0, () => onOutput[index]?.());
    /** Resolves after 256 KB more of a flood. */
    const more = (index: number) =>
      new Promise<void>((resolve) => {
        const end = (floods[index]?.outputEnd ?? 0) + 256 * 1024;
        onOutput[index] = () => (floods[index]?.outputEnd ?? 0) >= end && resolve();
      });
    for (let round = 0; round < 9; round++) {
      const at = round % floods.length;
      const others = [1, 2].map((next) => (at + next) % floods.length);
      // In the middle of its output: the host has sent more.
      const paused = others.map(
        (index) =>
          new Promise<void>((resolve) => {
            onOutput[index] = () => {
              floods[index]?.pause();
              resolve();
            };
          }),
      );
      await Promise.all(paused);
      await more(at);
      const all = Promise.all(floods.map((_, index) => more(index)));
      for (const index of others) floods[index]?.resume();
      await all;
    }
    await host.close({ force: true });
    await served.ended;
  });

  it('does not delay the end of the host', async () => {
    const host = await served.connect();
    const flood = await host.spawn(ptyRequest('yes'));
    const gone = await host.spawn(ptyRequest('sh', ['-c', 'echo last']));
    const output = collectOutput(gone);
    flood.pause();
    gone.pause();
    await vi.waitFor(() => expect(gone.resize({ cols: 9, rows: 9 })).rejects.toThrow());
    await host.close({ force: true });
    expect(await gone.exit).toEqual({ code: 0, signal: null });
    expect(output.text).toBe('last\r\n');
    // By KILL, or by the hang-up of its terminal.
    expect(['SIGKILL', 'SIGHUP']).toContain((await flood.exit).signal);
    await served.ended;
  });
});
