import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tree } from '../../../../test/support/tree.ts';
import { encodeFrame, type FrameType, frameTypes } from '../frames/frame.ts';
import { Pace } from './pace.ts';
import { RemoteCoordinator } from './remote-coordinator.ts';
import { suspicionMs } from './silence-limits.ts';

/** A client of a coordinator that answers its calls, which have numbers from 1, with these frames. */
async function answered(
  answer: (call: number) => readonly [type: FrameType, payload?: Uint8Array],
): Promise<RemoteCoordinator> {
  const socket = join(tree(), 'vtr.sock');
  let calls = 0;
  const server = createServer((connection) => {
    connection.write(encodeFrame(frameTypes.hello, 0));
    connection.on('data', (bytes) => {
      if (!/List|Info|Kill/.test(bytes.toString('latin1'))) return;
      const [type, payload] = answer(++calls);
      connection.write(encodeFrame(type, calls, payload));
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const coordinator = new RemoteCoordinator({ socket, recover: async () => true });
  onTestFinished(async () => {
    await coordinator.close();
    server.close();
  });
  return coordinator;
}

it('a call whose answer cannot be decoded fails, and the connection goes on', async () => {
  let calls = 0;
  const coordinator = await answered((call) => {
    calls = call;
    // A session of 9 bytes, of which there is one; then nothing, which is an empty list.
    return [frameTypes.answer, Uint8Array.from(call < 3 ? [0x0a, 9, 0] : [])];
  });
  const refused = {
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/cannot read an answer/),
    details: { reason: 'PROTOCOL' },
  };
  await expect(coordinator.list()).rejects.toMatchObject(refused);
  await expect(coordinator.info('one')).rejects.toMatchObject(refused);
  expect(await coordinator.list()).toEqual([]);
  expect(calls).toBe(3);
});

it('a call that ends without an answer fails', async () => {
  const coordinator = await answered(() => [frameTypes.end]);
  const failed = { code: 'UNAVAILABLE', details: { reason: 'PROTOCOL' } };
  await expect(coordinator.list()).rejects.toMatchObject(failed);
  await expect(coordinator.kill('one')).rejects.toMatchObject(failed);
});

it.each(['', 'null', '[]', '7', '{"code":', '{"code":7,"message":null,"details":[]}'])(
  'a call whose failure is not one fails: %s',
  async (json) => {
    const coordinator = await answered(() => [frameTypes.failure, Buffer.from(json)]);
    await expect(coordinator.kill('one')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { reason: 'PROTOCOL' },
    });
  },
);

describe('a coordinator that answers in drips', () => {
  const received = vi.spyOn(Pace.prototype, 'received');

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] });
    received.mockClear();
  });
  afterEach(() => void vi.useRealTimers());

  /** The connection of each call, by its method; probes get an answer. */
  async function calledBy(recover: () => Promise<boolean> = async () => true) {
    const socket = join(tree(), 'vtr.sock');
    const connections: { readonly socket: Socket; text: string }[] = [];
    let probes = 0;
    const server = createServer((connection) => {
      const mine = { socket: connection, text: '' };
      connection
        .on('error', () => {})
        .on('data', (bytes) => {
          if (bytes.toString('latin1').startsWith('GET ')) {
            probes++;
            connection.end('HTTP/1.1 404 Not Found\r\n\r\n');
            return;
          }
          if (mine.text === '') {
            connections.push(mine);
            connection.write(encodeFrame(frameTypes.hello, 0));
          }
          mine.text += bytes.toString('latin1');
        });
    });
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    const coordinator = new RemoteCoordinator({ socket, recover });
    onTestFinished(async () => {
      await coordinator.close();
      for (const each of connections) each.socket.destroy();
      server.close();
    });
    const called = async (method: string, connection = 0) => {
      await until(() => connections[connection]?.text.includes(method) ?? false);
      return (connections[connection] as (typeof connections)[number]).socket;
    };
    return { coordinator, called, probed: () => until(() => probes > 0) };
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await turn();
  };
  /** Sends pieces of as many bytes, one after each time, until `isOver`. */
  const drip = async (
    to: Socket,
    bytes: number,
    everyMs: number,
    isOver: () => boolean,
    most = 100,
  ) => {
    for (let count = 0; count < most && !isOver(); count++) {
      const before = received.mock.calls.length;
      to.write(Buffer.alloc(bytes));
      await until(() => isOver() || received.mock.calls.length > before);
      vi.advanceTimersByTime(everyMs);
      await turn();
    }
  };
  /** The head of a frame with 1 MB. */
  const begun = (type: FrameType, call: number) =>
    encodeFrame(type, call, Buffer.alloc(1_000_000)).subarray(0, 9);
  const settled = (promise: Promise<unknown>) => {
    let isOver = false;
    const done = promise.then(
      (value) => ({ value }),
      (error) => ({ error }),
    );
    void done.then(() => {
      isOver = true;
    });
    return { done, isOver: () => isOver };
  };
  const tooSlow = {
    error: expect.objectContaining({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('too slowly'),
    }),
  };

  it('fails the call, and not the others of its connection', async () => {
    const { coordinator, called } = await calledBy();
    const kill = settled(coordinator.info('one'));
    const other = settled(coordinator.list());
    const connection = await called('List');
    connection.write(begun(frameTypes.answer, 1));
    await drip(connection, 1, 200, kill.isOver);
    expect(await kill.done).toMatchObject(tooSlow);
    vi.advanceTimersByTime(100);
    const next = await called('List', 1);
    next.write(encodeFrame(frameTypes.answer, 1, Uint8Array.from([])));
    expect(await other.done).toEqual({ value: [] });
  });

  it('has 3 s for a list that comes at a good pace, and longer for other answers', async () => {
    const { coordinator, called } = await calledBy();
    const info = settled(coordinator.info('one'));
    const connection = await called('Info');
    connection.write(begun(frameTypes.answer, 1));
    await drip(connection, 1_000, 500, info.isOver);
    expect(info.isOver()).toBe(false);
    const second = await calledBy();
    const list = settled(second.coordinator.list());
    const slow = await second.called('List');
    slow.write(begun(frameTypes.answer, 1));
    await drip(slow, 1_000, 500, list.isOver, 8);
    expect(await list.done).toMatchObject(tooSlow);
  });

  it('has 30 s for a call that waits for nothing, though it answers others', async () => {
    const { coordinator, called, probed } = await calledBy();
    const list = settled(coordinator.list());
    await called('List');
    vi.advanceTimersByTime(suspicionMs);
    await probed();
    await turn();
    vi.advanceTimersByTime(29_600);
    await turn();
    expect(list.isOver()).toBe(false);
    vi.advanceTimersByTime(200);
    expect(await list.done).toMatchObject({
      error: expect.objectContaining({ message: expect.stringContaining('no answer for 30 s') }),
    });
  });

  it('fails a recording that comes in whole, small messages', async () => {
    const { coordinator, called } = await calledBy();
    const record = settled(coordinator.record('one'));
    const connection = await called('DumpRecording');
    for (let count = 0; count < 100 && !record.isOver(); count++) {
      // Field 3, one byte.
      connection.write(encodeFrame(frameTypes.message, 1, Uint8Array.from([0x1a, 1, 0x61])));
      const before = received.mock.calls.length;
      await until(() => record.isOver() || received.mock.calls.length > before);
      vi.advanceTimersByTime(1_000);
      await turn();
    }
    expect(await record.done).toMatchObject(tooSlow);
  });
});
