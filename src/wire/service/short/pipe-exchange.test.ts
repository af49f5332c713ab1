import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../../test/support/deferred.ts';
import { tree } from '../../../../test/support/tree.ts';
import { httpRequest } from './http-request.ts';
import { JsonCoordinator } from './json-coordinator.ts';
import { type Exchange, exchangeOverPipe } from './pipe-exchange.ts';

const servers: Server[] = [];

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

async function listening(onConnection: (socket: Socket) => void): Promise<string> {
  const path = join(tree(), 'socket');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

/** Serves a socket; `answer` gets each connection with the whole request. */
const served = (answer: (socket: Socket, request: string) => void): Promise<string> =>
  listening((socket) => {
    let request = '';
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      const [head = '', body] = request.split('\r\n\r\n');
      if (body === undefined) return;
      // A request for metrics has no body.
      const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
      if (body.length === length) answer(socket, request);
    });
  });

const ok = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const long = 'x'.repeat(1_000_000);

const answers: readonly [string, (socket: Socket, request: string) => void][] = [
  ['at once', (socket) => socket.end(ok('{}'))],
  ['without an end', (socket) => socket.write(ok('{}'))],
  ['in pieces', (socket) => Array.from(ok('{"a":1}'), (each) => socket.write(each))],
  ['of many reads', (socket) => socket.end(ok(long))],
  ['of unknown length', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall')],
  ['that tells the length of the request', (socket, { length }) => socket.end(ok(`${length}`))],
  ['that is cut off', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}')],
  ['without a byte', (socket) => socket.end()],
];

/** How a request ends: its answer, or the facts of its error. */
const outcome = (path: string, body: string, timeoutMs: number) =>
  httpRequest(path, '/vtr.VTR/List', body, { timeoutMs }).catch(
    ({ message, code, errno, syscall }) => ({ message, code, errno, syscall }),
  );

/** The same over a pipe, and over `node:net`, which is used where Node would warn of pipes. */
async function bothOutcomes(path: string, body = '{}', timeoutMs = 60_000) {
  const overPipe = await outcome(path, body, timeoutMs);
  vi.stubEnv('NODE_PENDING_DEPRECATION', '1');
  const overStream = await outcome(path, body, timeoutMs);
  vi.unstubAllEnvs();
  return { overPipe, overStream };
}

describe('a request over a pipe ends as over node:net', () => {
  it.each(answers)('with an answer %s', async (_what, answer) => {
    // The clock of the limit of the start has as many digits.
    vi.spyOn(process, 'hrtime').mockReturnValue([1, 0]);
    const { overPipe, overStream } = await bothOutcomes(await served(answer));
    expect(overPipe).toEqual(overStream);
  });

  it('without an answer in time', async () => {
    const { overPipe, overStream } = await bothOutcomes(await served(() => {}), '{}', 100);
    expect(overPipe).toEqual(overStream);
    expect(overPipe).toMatchObject({ message: 'no answer for 0.1 s' });
  });

  it.each([
    ['that is not complete in time', { answerMs: 100 }, 'its answer was not complete after 0.1 s'],
    ['that is too long', { maxBytes: 60 }, 'more than 60 bytes'],
    ['that is too slow', { graceMs: 100 }, 'its answer comes too slowly'],
  ])('with an answer %s, although it always goes on', async (_what, limits, message) => {
    const drips = new Set<NodeJS.Timeout>();
    const path = await served((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      drips.add(setInterval(() => socket.write('1\r\n \r\n'), 20));
    });
    const ask = () => httpRequest(path, '/vtr.VTR/List', '{}', { timeoutMs: 60_000, ...limits });
    await expect(ask()).rejects.toThrow(message);
    vi.stubEnv('NODE_PENDING_DEPRECATION', '1');
    await expect(ask()).rejects.toThrow(message);
    for (const drip of drips) clearInterval(drip);
  });

  it('with a request that is longer than the buffer of a socket', async () => {
    const path = await served((socket, { length }) => socket.end(ok(`${length}`)));
    const { overPipe, overStream } = await bothOutcomes(path, `"${long}"`);
    expect(overPipe).toEqual(overStream);
    expect(overPipe).toMatchObject({ status: 200 });
  });

  it('with a connection that is broken off within the request', async () => {
    const path = await listening((socket) => socket.once('data', () => socket.destroy()));
    const { overPipe, overStream } = await bothOutcomes(path, `"${long}"`);
    expect(overPipe).toEqual(overStream);
    expect(overPipe).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) });
  });

  it('where another user could listen: nothing is sent', async () => {
    const connected = vi.fn();
    const path = await listening(connected);
    chmodSync(dirname(path), 0o777);
    const { overPipe, overStream } = await bothOutcomes(path);
    expect(overPipe).toEqual(overStream);
    expect(overPipe).toMatchObject({ message: expect.stringContaining('did not connect') });
    expect(connected).not.toHaveBeenCalled();
  });

  it.each([
    ['nothing is there', (path: string) => `${path}/socket`, 'ENOENT'],
    ['a file is there', (path: string) => `${path}/file`, 'ECONNREFUSED'],
    ['a file is in the path', (path: string) => `${path}/file/socket`, 'ENOTDIR'],
  ])('where %s', async (_what, pathIn, code) => {
    const directory = tree();
    writeFileSync(join(directory, 'file'), '');
    const { overPipe, overStream } = await bothOutcomes(pathIn(directory));
    expect(overPipe).toEqual(overStream);
    expect(overPipe).toMatchObject({ code });
  });
});

describe('a pipe', () => {
  const notConnected = vi.fn();
  const exchangeWith = (done: () => void): Exchange => ({
    request: 'POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}',
    timeoutMs: 60_000,
    received: done,
    ended: done,
    failed: done,
    timedOut: done,
  });
  const opened = async () => {
    const path = await served((socket) => socket.end(ok('{}')));
    const done = vi.fn();
    const exchange = exchangeWith(done);
    const connection = exchangeOverPipe(path, exchange, notConnected);
    if (connection !== null) await vi.waitFor(() => expect(done).toHaveBeenCalled());
    connection?.destroy();
    connection?.release();
    return connection;
  };

  it.each(['release', 'destroy'] as const)('is closed by %s', async (end) => {
    const closed = vi.fn();
    const path = await listening((socket) => socket.resume().once('close', closed));
    const done = vi.fn();
    const connection = exchangeOverPipe(path, exchangeWith(done), notConnected);
    connection?.[end]();
    const other = exchangeOverPipe(path, exchangeWith(done), notConnected);
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    other?.[end]();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2));
    expect(done).not.toHaveBeenCalled();
  });

  it('has its time anew with each piece of the answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { promise: socket, resolve: onRequest } = deferred<Socket>();
    const path = await served(onRequest);
    const [timedOut, other] = [vi.fn(), vi.fn()];
    let onPiece = () => {};
    const exchange = { ...exchangeWith(other), received: () => onPiece(), timedOut };
    const connection = exchangeOverPipe(path, exchange, notConnected);
    for (let pieces = 1; pieces <= 3; pieces++) {
      const received = new Promise<void>((resolve) => {
        onPiece = resolve;
      });
      (await socket).write('x');
      await received;
      vi.advanceTimersByTime(59_999);
      expect(timedOut).not.toHaveBeenCalled();
    }
    vi.advanceTimersByTime(1);
    expect(timedOut).toHaveBeenCalledOnce();
    connection?.destroy();
    expect(other).not.toHaveBeenCalled();
  });

  it('is used on the versions of Node that were tried', async () => {
    expect(await opened()).not.toBeNull();
    expect(notConnected).not.toHaveBeenCalled();
  });

  it.each([
    ['a variable', () => vi.stubEnv('NODE_PENDING_DEPRECATION', '1')],
    ['the options of a variable', () => vi.stubEnv('NODE_OPTIONS', '--pending-deprecation')],
    [
      'an option',
      () => vi.spyOn(process, 'execArgv', 'get').mockReturnValue(['--pending_deprecation']),
    ],
    [
      'a later version of Node',
      () =>
        vi
          .spyOn(process, 'versions', 'get')
          .mockReturnValue({ ...process.versions, node: '25.0.0' }),
    ],
    [
      'its permissions',
      () =>
        vi.spyOn(process as { binding?: () => void }, 'binding').mockImplementation(() => {
          throw new Error('ERR_ACCESS_DENIED');
        }),
    ],
  ])('is not used where Node might warn or refuse: %s', async (_what, stub) => {
    stub();
    expect(await opened()).toBeNull();
  });
});

describe('a call whose answer is of another type', () => {
  const answering = (status: string, body: string) =>
    served((socket) =>
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
  const calls: readonly [string, (coordinator: JsonCoordinator) => Promise<unknown>][] = [
    ['list', (each) => each.list()],
    ['kill', (each) => each.kill('one')],
    ['stopWeb', (each) => each.stopWeb()],
    ['metrics', (each) => each.metrics()],
  ];
  const bodies = ['[]', '[{}]', 'null', '7', '"text"'];

  it.each(calls.flatMap(([name, call]) => bodies.map((body) => ({ name, body, call }))))(
    'fails: $name, $body',
    async ({ body, call }) => {
      const place = await answering('200 OK', body);
      const message = `${place} is not a vtr coordinator`;
      await expect(call(new JsonCoordinator(place))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message,
      });
    },
  );

  it.each(['7', '[7]', '[null]', '[{"name":"a"}]', '[{"name":"a","points":[{}]}]'])(
    'fails: metrics, %s',
    async (metrics) => {
      const place = await answering('200 OK', `{"metrics":${metrics}}`);
      const call = new JsonCoordinator(place).metrics();
      await expect(call).rejects.toThrow(`${place} is not a vtr coordinator`);
    },
  );

  it.each([
    ['[null]'],
    ['[7]'],
    ['{}'],
    ['[{"type":"vtr.ErrorDetail","value":5,"debug":7}]'],
    ['[{"type":"vtr.ErrorDetail","debug":{"facts":"text"}}]'],
  ])('is its error, without details that cannot be read: %s', async (details) => {
    const place = await answering(
      '500 Internal Server Error',
      `{"code":"internal","message":"broken","details":${details}}`,
    );
    const call = new JsonCoordinator(place).kill('one');
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: 'broken' });
    const { details: facts } = await call.catch((error) => error);
    expect(facts).toEqual({ socket: place });
  });

  it.each(['"constructor"', '7', '{}'])('is an internal error with a code %s', async (code) => {
    const body = `{"code":${code},"message":"broken"}`;
    const place = await answering('500 Internal Server Error', body);
    const call = new JsonCoordinator(place).kill('one');
    await expect(call).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: 'broken' });
  });
});

it.each(['pipe', 'stream'])(
  'a call over a %s ends with its signal, and its connection too',
  async (way) => {
    // The silence of the server does not end it first.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    if (way === 'stream') vi.stubEnv('NODE_PENDING_DEPRECATION', '1');
    const arrival = deferred();
    const closed = deferred();
    const path = await served((socket) => {
      socket.once('close', () => closed.resolve());
      arrival.resolve();
    });
    const leave = new AbortController();
    const request = { timeoutMs: 20_000, signal: leave.signal };
    const called = new JsonCoordinator(path).follow('one', request);
    await arrival.promise;
    leave.abort();
    await expect(called).rejects.toMatchObject({ code: 'CANCELLED' });
    await closed.promise;
  },
);
