import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PublishRequestSchema, WaitRequestSchema } from '#messages';
import { connect } from '#wire/service';
import { encodeFrame, frameTypes, preface } from '../../src/wire/service/frames/frame.ts';
import { SessionDriver } from '../support/command/session-driver.ts';
import { halfBodies, halfHeads } from '../support/service/half-requests.ts';
import {
  answerOf,
  closed,
  grpcCall,
  grpcHeaders,
  grpcMessage,
  http2Client,
  http2Frame,
  http2Greeting,
  httpRequest,
  rawClient,
} from '../support/service/raw-client.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';

const kilobyte = 1024;
/** Short times, for what is closed after them; and little memory. */
const limits = {
  headMs: 100,
  bodyMs: 200,
  idleMs: 1_000,
  maxConnections: 8,
  requestBytes: 8 * 16 * kilobyte + 1024 * kilobyte,
  connectionRequestBytes: 256 * kilobyte,
};
const list = httpRequest('List', '{}', 'connection: close\r\n');

/** The beginning of a call in frames that has `length` more bytes. */
const begunCall = (length: number) =>
  Buffer.concat([
    Buffer.from(preface),
    encodeFrame(frameTypes.call, 1, Buffer.alloc(length), 'SendText').subarray(0, 9 + 9),
  ]);

/** A client that sends half of a request, and what it is answered. */
interface HalfRequest {
  /** Resolves to the answer. */
  readonly answer: Promise<string>;
  leave(): void;
}

/** Sends `bytes` of a request, and no more. */
const halfRequests: Readonly<Record<string, (path: string, bytes: number) => HalfRequest>> = {
  gRPC: (path, bytes) => {
    const session = http2Client(path);
    const stream = grpcCall(session, 'SendText');
    stream.write(grpcMessage(Buffer.alloc(bytes), 2 * bytes));
    const answer = once(stream, 'trailers').then(([fields]) => String(fields['grpc-message']));
    return { answer: answer.catch(() => ''), leave: () => session.destroy() };
  },
  'HTTP/1.1': (path, bytes) => {
    const head = httpRequest('SendText', ' '.repeat(2 * bytes));
    const socket = rawClient(path, head, ' '.repeat(bytes));
    return { answer: answerOf(socket, '}'), leave: () => socket.destroy() };
  },
  frames: (path, bytes) => {
    const socket = rawClient(path, begunCall(2 * bytes), Buffer.alloc(bytes));
    return { answer: answerOf(socket, '}'), leave: () => socket.destroy() };
  },
};

describe('requests under way', () => {
  let served: ServedCoordinator;
  beforeAll(async () => {
    const long = { headMs: 60_000, bodyMs: 60_000, idleMs: 600_000 };
    served = await serveCoordinator(
      {},
      { limits: { ...limits, ...long, maxConnections: 64, requestBytes: 2048 * kilobyte } },
    );
  });
  afterAll(() => served.end());

  it('are not compressed: what is refused names identity', async () => {
    const message = gzipSync(Buffer.alloc(4 * 1024 * kilobyte));
    const stream = grpcCall(http2Client(served.socket), 'SendText', { 'grpc-encoding': 'gzip' });
    const trailers = once(stream, 'trailers');
    stream.write(grpcMessage(message, message.length, 1));
    const [fields] = await trailers;
    expect(fields['grpc-status']).toBe(String(Code.Unimplemented));
    expect(fields['grpc-accept-encoding']).toBe('identity');
    const body = message.toString('latin1');
    const request = httpRequest('SendText', body, 'content-encoding: gzip\r\n');
    const socket = rawClient(served.socket, request, message);
    expect(await answerOf(socket, 'unimplemented')).toMatch(/^HTTP\/1.1 501[\s\S]*identity/);
  });

  it.each(Object.entries(halfRequests))('of a connection are bounded: %s', async (_name, half) => {
    const { answer } = half(served.socket, 320 * kilobyte);
    expect(decodeURIComponent(await answer)).toContain('of requests of this connection');
  });

  it.each<[string, string, Readonly<Record<string, string>>, (bytes: number) => Buffer]>([
    ['a message of gRPC', 'SendText', {}, (bytes) => grpcMessage(Buffer.alloc(bytes))],
    [
      'a compressed one',
      'SendText',
      { 'grpc-encoding': 'gzip' },
      (bytes) => grpcMessage(Buffer.alloc(bytes / 16), bytes, 1),
    ],
    [
      'one whose time is up',
      'SendText',
      { 'grpc-timeout': '1m' },
      (bytes) => grpcMessage(Buffer.alloc(bytes)),
    ],
    ['one of a stream', 'Publish', {}, (bytes) => grpcMessage(Buffer.alloc(bytes))],
    ['one for a stream of answers', 'Subscribe', {}, (bytes) => grpcMessage(Buffer.alloc(bytes))],
    ['one of an unknown call', 'NoSuchCall', {}, (bytes) => grpcMessage(Buffer.alloc(bytes))],
    [
      'a body of Connect',
      'SendText',
      { 'content-type': 'application/json' },
      (bytes) => Buffer.alloc(bytes, ' '),
    ],
    [
      'a body of no call',
      'SendText',
      { 'content-type': 'text/plain' },
      (bytes) => Buffer.alloc(bytes, ' '),
    ],
  ])(
    'that are too large do not hold up others on the connection: %s',
    async (_what, method, headers, body) => {
      const session = http2Client(served.socket);
      for (let count = 0; count < 12; count++) {
        const refused = grpcCall(session, method, headers);
        const answered = once(refused, 'response');
        const closing = once(refused, 'close');
        refused.end(body(8 * 1024 * kilobyte));
        await Promise.all([answered, closing]);
      }
      const next = grpcCall(session, 'List');
      next.end(grpcMessage(Buffer.alloc(0)));
      const [fields] = await once(next, 'trailers');
      expect(fields['grpc-status']).toBe('0');
    },
  );

  it('of all connections are bounded, and leave room for small calls and those after them', async () => {
    const requests: HalfRequest[] = [];
    let refused = 0;
    for (let count = 0; count < 12; count++) {
      for (const half of Object.values(halfRequests)) {
        const request = half(served.socket, 192 * kilobyte);
        requests.push(request);
        void request.answer.then((text) => {
          if (decodeURIComponent(text).includes('requests of all')) refused++;
        });
      }
    }
    await expect.poll(() => refused).toBeGreaterThan(20);
    expect(await answerOf(rawClient(served.socket, list, '{}'))).toMatch(/^HTTP\/1.1 200/);
    const client = await connect({ socket: served.socket });
    expect(await client.list()).toEqual([]);
    for (const request of requests) request.leave();
    const { name } = await client.spawn({ program: 'cat' });
    const text = 'x'.repeat(200 * kilobyte);
    await expect
      .poll(() => client.sendText(name, text, { timeoutMs: 1 }).catch(({ code }) => code))
      .not.toBe('REQUEST_BACKLOG');
    await client.close();
  });

  it('count no longer when their client has gone, also behind a call that waits', async () => {
    const { id: sessionId } = await served.local.spawn({ program: 'cat' });
    const body = JSON.stringify({ sessionId, wait: { match: ['never'] } });
    const wait = httpRequest('Wait', body);
    const half = httpRequest('SendText', ' '.repeat(400 * kilobyte));
    for (let count = 0; count < 16; count++) {
      const socket = rawClient(served.socket, wait, body, half, ' '.repeat(220 * kilobyte));
      for (let round = 0; round < 3; round++) await answerOf(rawClient(served.socket, list, '{}'));
      socket.destroy();
    }
    const whole = httpRequest('SendText', ' '.repeat(220 * kilobyte), 'connection: close\r\n');
    const send = () => answerOf(rawClient(served.socket, whole, ' '.repeat(220 * kilobyte)));
    await expect.poll(send).toMatch(/^HTTP\/1.1 400/);
  });

  it('count until they are answered', async () => {
    const driver = new SessionDriver(served.local);
    // Its terminal accepts some kilobytes, and nobody reads them.
    const session = await driver.ready('stty raw -echo; echo ready; exec sleep 1000');
    const client = await connect({ socket: served.socket });
    const input = new Uint8Array(60 * kilobyte);
    const send = () => client.sendBytes(session, input, { timeoutMs: 60_000 });
    const sends = Promise.allSettled([send(), send(), send()]);
    await expect(send()).rejects.toMatchObject({ code: 'REQUEST_BACKLOG' });
    await served.local.remove(session, { force: true });
    expect((await sends).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    await expect(send()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await client.close();
  });

  it('of a client that streams do not add up', async () => {
    const client = await connect({ socket: served.socket });
    const publication = await client.publish({ name: 'out', by: 'test' });
    for (let count = 0; count < 20; count++)
      await publication.write(Buffer.alloc(100 * kilobyte, 'x'));
    await publication.exit({ code: 0, signal: null });
    await publication.close();
    await client.close();
    const stream = grpcCall(http2Client(served.socket), 'Publish');
    const message = (step: MessageInitShape<typeof PublishRequestSchema>['step'] & {}) =>
      grpcMessage(toBinary(PublishRequestSchema, create(PublishRequestSchema, { step })));
    stream.write(message({ case: 'open', value: { name: 'again', by: 'test' } }));
    for (let count = 0; count < 20; count++) {
      await once(stream, 'data');
      stream.write(message({ case: 'output', value: new Uint8Array(100 * kilobyte) }));
    }
    const trailers = once(stream, 'trailers');
    stream.end();
    expect((await trailers)[0]['grpc-status']).toBe('0');
  });
});

it('a request of HTTP/1.1 that calls itself HTTP/2 is answered, and is no fault', async () => {
  const faults: unknown[] = [];
  const served = await serveCoordinator({}, { onFault: (error) => faults.push(error) });
  const request = list.replace('HTTP/1.1', 'HTTP/2.0').replace('host: x', 'host: a b');
  expect(await answerOf(rawClient(served.socket, request, '{}'))).toMatch(/^HTTP\/1.1 200/);
  expect(faults).toEqual([]);
  await served.end();
});

describe('half requests', () => {
  let served: ServedCoordinator;
  beforeAll(async () => {
    served = await serveCoordinator({}, { limits });
  });
  afterAll(() => served.end());

  it.each<[string, ...(string | Uint8Array)[]]>([
    ...Object.entries(halfHeads).map(([what, parts]): [string, ...typeof parts] => [
      what,
      ...parts,
    ]),
    [
      'a violation of HTTP/2 while a call is open',
      ...[http2Greeting, http2Frame(1, 4, 1, grpcHeaders('Publish'))],
      http2Frame(0, 0, 0, Buffer.alloc(1)),
    ],
    ['half of a call in frames', begunCall(5000)],
  ])('lose their connection: %s', async (_what, ...parts) => {
    await closed(rawClient(served.socket, ...parts));
  });

  it.each(Object.entries(halfBodies))(
    'are answered with an error, and their connection is closed: %s',
    async (_what, parts) => {
      const isHttp2 = parts[0] === http2Greeting;
      const answer = await answerOf(rawClient(served.socket, ...parts));
      expect(answer).toMatch(isHttp2 ? /./ : /408|504/);
    },
  );

  it('of gRPC fail with DEADLINE_EXCEEDED, and others on the connection are answered', async () => {
    const session = http2Client(served.socket);
    const half = once(grpcCall(session, 'SendText'), 'trailers');
    const isClosed = once(session, 'close');
    expect((await half)[0]['grpc-status']).toBe(String(Code.DeadlineExceeded));
    const whole = grpcCall(session, 'List');
    const answered = once(whole, 'trailers');
    whole.end(grpcMessage(Buffer.alloc(0)));
    expect((await answered)[0]['grpc-status']).toBe('0');
    // It is idle now.
    await isClosed;
  });

  it('a slow body is closed, one that goes on is not', async () => {
    const post = httpRequest('SendText', ' '.repeat(1_000_000));
    const drip = (bytes: number, text: string) => {
      const socket = rawClient(served.socket, post);
      const timer = setInterval(() => socket.writable && socket.write(text.repeat(bytes)), 20);
      return { socket, closed: closed(socket).finally(() => clearInterval(timer)) };
    };
    const fast = drip(2 * kilobyte, ' ');
    let isClosed = false;
    fast.socket.once('close', () => {
      isClosed = true;
    });
    await drip(1, ' ').closed;
    expect(isClosed).toBe(false);
    fast.socket.destroy();
    await fast.closed;
  });

  it('clients with a call are not closed, however silent: a wait, a published session', async () => {
    const session = await served.local.spawn({ program: 'cat' });
    const client = await connect({ socket: served.socket });
    const waiting = client.wait(session, { match: ['done'] });
    const publication = await client.publish({ name: 'quiet', by: 'test' });
    const quiet = grpcCall(http2Client(served.socket), 'Publish');
    const open = create(PublishRequestSchema, {
      step: { case: 'open', value: { name: 'grpc', by: 'test' } },
    });
    quiet.write(grpcMessage(toBinary(PublishRequestSchema, open)));
    await once(quiet, 'data');
    // Longer than the time for an idle connection.
    await closed(rawClient(served.socket, preface));
    await publication.write(Buffer.from('x'));
    await served.local.sendText(session, 'done\r');
    expect((await waiting).outcome).toBe('matched');
    const trailers = once(quiet, 'trailers');
    quiet.end();
    expect((await trailers)[0]['grpc-status']).toBe('0');
    await publication.close();
    await client.close();
  });

  it('a client of HTTP/2 with a call is not closed while it is stopped', async () => {
    const session = await served.local.spawn({ program: 'cat' });
    const wait = toBinary(
      WaitRequestSchema,
      create(WaitRequestSchema, { name: session.name, wait: { match: ['done'] } }),
    );
    const call = [
      ...[http2Greeting, http2Frame(1, 4, 1, grpcHeaders('Wait'))],
      http2Frame(0, 1, 1, grpcMessage(wait)),
    ];
    // It never answers a ping.
    const stopped = rawClient(served.socket, ...call);
    await once(stopped, 'data');
    stopped.pause();
    await closed(rawClient(served.socket, http2Greeting));
    await closed(rawClient(served.socket, preface));
    await served.local.sendText(session, 'done\r');
    expect(await answerOf(stopped.resume(), 'done')).toContain('done');
  });

  it('an idle client connects again with its next call', async () => {
    const client = await connect({ socket: served.socket });
    await closed(rawClient(served.socket, preface));
    expect(Array.isArray(await client.list())).toBe(true);
    await client.close();
  });

  it('a client in frames stays connected after a call that was refused for its size', async () => {
    const call = encodeFrame(frameTypes.call, 1, Buffer.alloc(600 * kilobyte), 'SendText');
    const answer = await answerOf(rawClient(served.socket, preface, call));
    expect(answer).toContain('REQUEST_BACKLOG');
    // It is asked to leave, because it is idle.
    expect(answer).toMatch(/\t\0\0\0\0$/);
  });
});

it('connections without a call make room for more than there may be', async () => {
  const few = { maxConnections: 8, filesLeft: () => files.left };
  const files = { left: null as number | null };
  const served = await serveCoordinator({}, { limits: few });
  const session = await served.local.spawn({ program: 'cat' });
  const client = await connect({ socket: served.socket });
  const waiting = client.wait(session, { match: ['done'] });
  for (let count = 0; count < 5 * few.maxConnections; count++) rawClient(served.socket, 'P');
  expect(await answerOf(rawClient(served.socket, list, '{}'))).toMatch(/^HTTP\/1.1 200/);
  files.left = 5;
  expect(await answerOf(rawClient(served.socket, list, '{}'))).toMatch(/^HTTP\/1.1 200/);
  files.left = null;
  await served.local.sendText(session, 'done\r');
  expect((await waiting).outcome).toBe('matched');
  await client.close();
  await served.end();
});

it.each([null, 100_000])(
  'connections with calls make no room, with %s files left',
  async (left) => {
    const few = { maxConnections: 4, filesLeft: () => left };
    const served = await serveCoordinator({}, { limits: few });
    const session = await served.local.spawn({ program: 'cat' });
    const clients = [];
    for (let count = 0; count < few.maxConnections; count++) {
      const client = await connect({ socket: served.socket });
      clients.push({ client, waiting: client.wait(session, { match: ['done'] }) });
      await client.list();
    }
    // A wait that is not answered makes its client connect once more, to see whether the coordinator responds.
    await expect.poll(() => answerOf(rawClient(served.socket, list, '{}'))).toBe('');
    await served.local.sendText(session, 'done\r');
    for (const { client, waiting } of clients) {
      expect((await waiting).outcome).toBe('matched');
      await client.close();
    }
    // Also directly after connections have been closed.
    expect(await answerOf(rawClient(served.socket, list, '{}'))).toMatch(/^HTTP\/1.1 200/);
    await served.end();
  },
);
