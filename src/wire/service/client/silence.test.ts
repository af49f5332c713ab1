import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ignored } from '#base';
import { deferred } from '../../../../test/support/deferred.ts';
import { tree } from '../../../../test/support/tree.ts';
import { JsonCoordinator } from '../short/index.ts';
import { Silence } from './silence.ts';
import { givenUpAfterMs, silenceMs, suspicionMs } from './silence-limits.ts';

/** No request begins with it. */
const mark = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('a call is checked in time, also while an earlier one takes long', async () => {
  const socket = join(tree(), 'vtr.sock');
  const probes: Socket[] = [];
  let marked = () => {};
  const server = createServer((connection) => {
    connection.once('data', (bytes) => {
      if (bytes[0] === mark) marked();
      else probes.push(connection);
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => {
    for (const probe of probes) probe.destroy();
    server.close();
  });
  /** The number of probes so far: connections are accepted in their order. */
  const probed = async () => {
    const isMarked = new Promise<void>((resolve) => {
      marked = resolve;
    });
    const last = connect(socket);
    last.write(Uint8Array.of(mark));
    await isMarked;
    last.destroy();
    return probes.length;
  };
  const silence = new Silence(socket, 'the coordinator', null);
  const send = () => new Promise<never>(() => {});
  void silence.during(send);
  vi.advanceTimersByTime(suspicionMs);
  expect(await probed()).toBe(1);
  probes[0]?.end('HTTP/1.1 404 Not Found\r\n\r\n');
  await new Promise((resolve) => probes[0]?.once('close', resolve));
  void silence.during(send);
  vi.advanceTimersByTime(suspicionMs);
  expect(await probed()).toBe(2);
});

it('a wait is not sent to a coordinator that has not answered the call before it', async () => {
  const socket = join(tree(), 'vtr.sock');
  const calls: string[] = [];
  const arrived = [deferred(), deferred()];
  const server = createServer((connection) => {
    connection.on('error', () => {});
    connection.once('data', (bytes) => {
      calls.push(String(bytes).split(' HTTP')[0] as string);
      arrived[calls.length - 1]?.resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(() => void server.close());
  const answer = deferred();
  const isStuck = async () => {
    answer.resolve();
    return { process: 'working', work: 'output of session one' } as const;
  };
  const client = new JsonCoordinator(socket, { recover: async () => true, isStuck });
  const failed = expect(client.wait('one', { prompt: true })).rejects.toMatchObject({
    message: `the coordinator at ${socket} does not respond: its process is at work (output of session one)`,
    details: { reason: 'SILENT', process: 'working', work: 'output of session one' },
  });
  await arrived[0]?.promise;
  vi.advanceTimersByTime(suspicionMs);
  await arrived[1]?.promise;
  vi.advanceTimersByTime(silenceMs);
  await answer.promise;
  await afterTurns();
  vi.advanceTimersByTime(givenUpAfterMs(10 * silenceMs));
  await failed;
  expect(calls).toEqual(['POST /vtr.VTR/GetMark', 'GET /']);
});

/** An answer of I/O is awaited for two turns of the event loop. */
async function afterTurns(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a coordinator at work', () => {
  /** A call to one whose process was found at work. */
  async function callAtWork() {
    const socket = join(tree(), 'vtr.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    const first = deferred();
    const silence = new Silence(socket, 'the coordinator', async () => {
      first.resolve();
      return { process: 'working' };
    });
    const answer = deferred<string>();
    const call = silence.during(() => answer.promise);
    ignored(call, 'it is given up');
    vi.advanceTimersByTime(suspicionMs);
    vi.advanceTimersByTime(silenceMs);
    await first.promise;
    await afterTurns();
    return { call, answer };
  }

  it('may still answer: a call is not given up before its time', async () => {
    const { call, answer } = await callAtWork();
    answer.resolve('the answer');
    expect(await call).toBe('the answer');
  });

  it('is named by a call that is given up after its time', async () => {
    const { call } = await callAtWork();
    vi.advanceTimersByTime(givenUpAfterMs(10 * silenceMs));
    await expect(call).rejects.toMatchObject({ details: { process: 'working' } });
  });
});
