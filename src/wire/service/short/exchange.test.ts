import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import type { Exchange } from './exchange.ts';
import { httpRequest } from './http-request.ts';
import { exchangeOverPipe } from './pipe-exchange.ts';

const servers: Server[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** Serves a socket; `answer` gets each connection with the whole request. */
async function served(answer: (socket: Socket, request: string) => void): Promise<string> {
  const path = join(tree(), 'socket');
  const server = createServer((socket) => {
    let request = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      const [head = '', body = ''] = request.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
      if (body.length === length) answer(socket, request);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

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
  ['never', () => {}],
];

/** How a request ends: its answer, or the facts of its error. */
const outcome = (path: string, body: string) =>
  httpRequest(path, '/vtr.VTR/List', body, { timeoutMs: 250 }).catch(
    ({ message, code, errno, syscall }) => ({ message, code, errno, syscall }),
  );

/** The same over a pipe, and over `node:net`, which is used where Node would warn of pipes. */
async function bothOutcomes(path: string, body = '{}') {
  const overPipe = await outcome(path, body);
  vi.stubEnv('NODE_PENDING_DEPRECATION', '1');
  const overStream = await outcome(path, body);
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

  it('with a request that is longer than the buffer of a socket', async () => {
    const path = await served((socket, { length }) => socket.end(ok(`${length}`)));
    const { overPipe, overStream } = await bothOutcomes(path, `"${long}"`);
    expect(overPipe).toEqual(overStream);
    expect(overPipe).toMatchObject({ status: 200 });
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
  const opened = async () => {
    const path = await served((socket) => socket.end(ok('{}')));
    const done = vi.fn();
    const exchange: Exchange = {
      ...{ request: 'POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}', timeoutMs: 60_000 },
      ...{ received: done, ended: done, failed: done, timedOut: done },
    };
    const connection = exchangeOverPipe(path, exchange, notConnected);
    if (connection !== null) await vi.waitFor(() => expect(done).toHaveBeenCalled());
    connection?.destroy();
    connection?.release();
    return connection;
  };

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
