import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ignored } from '#base';
import { SubscribeRequestSchema } from '#messages';
import type { Coordinator } from '#model';
import { connect } from '#wire/service';
import {
  encodeFrame,
  frameTypes,
  preface,
  windowBytes,
} from '../../src/wire/service/frames/frame.ts';
import { runs } from '../support/run/runs.ts';
import { type ServedCoordinator, serveCoordinator } from '../support/service/served-coordinator.ts';

describe("vtr's own protocol", () => {
  let served: ServedCoordinator;
  let sockets: Socket[];
  let clients: Coordinator[];

  beforeEach(async () => {
    served = await serveCoordinator();
    sockets = [];
    clients = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const client of clients) await client.close();
    await served.end();
  });

  const socketOf = () => {
    const socket = connectSocket(served.socket);
    socket.on('error', () => {});
    sockets.push(socket);
    return socket;
  };
  const clientOf = async (options: Partial<Parameters<typeof connect>[0]> = {}) => {
    const client = await connect({ socket: served.socket, ...options });
    clients.push(client);
    return client;
  };

  it.each([
    ['a frame that is too short', Buffer.alloc(9)],
    ['a frame of 4 GB', Buffer.alloc(9, 0xff)],
    ['an unknown type', encodeFrame(0x77 as 1, 1)],
    ['a call without a method', encodeFrame(frameTypes.call, 1, Uint8Array.of(200, 65))],
    ['a call with the number of another', twice(encodeFrame(frameTypes.call, 1, named(), 'Wait'))],
    ['a count of 3 bytes', encodeFrame(frameTypes.taken, 1, new Uint8Array(3))],
  ])('closes the connection of a client that sends %s', async (_what, bytes) => {
    await served.local.spawn({ name: 'one', program: 'cat' });
    const socket = socketOf();
    socket.resume();
    socket.write(preface);
    socket.write(bytes);
    await once(socket, 'close');
    expect(await (await clientOf()).list()).toHaveLength(1);
  });

  it('survives any input', async () => {
    const frame = fc
      .tuple(fc.integer({ min: 0, max: 12 }), fc.nat(5), fc.uint8Array({ maxLength: 40 }))
      .map(([type, call, payload]) => encodeFrame(type as 1, call, payload));
    const call = fc
      .tuple(fc.constantFrom('Subscribe', 'Publish', 'View', 'Info', 'Nothing'), fc.nat(5))
      .chain(([name, number]) =>
        fc
          .uint8Array({ maxLength: 40 })
          .map((payload) => encodeFrame(frameTypes.call, number, payload, name)),
      );
    const property = fc.asyncProperty(fc.array(fc.oneof(frame, call)), async (frames) => {
      const socket = socketOf();
      socket.resume();
      socket.write(preface);
      for (const each of frames) socket.write(each);
      socket.end();
      await once(socket, 'close');
    });
    await fc.assert(property, runs(50));
    const client = await clientOf();
    expect((await client.spawn({ program: 'cat' })).state).toBe('running');
  });

  it('answers a call of an unknown method, and refuses a request that is too large', async () => {
    const socket = socketOf();
    socket.write(preface);
    socket.write(encodeFrame(frameTypes.call, 3, new Uint8Array(0), 'Fly'));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    await vi.waitFor(() => expect(received).toContain('there is no method'));
    const client = await clientOf();
    const { name } = await client.spawn({ program: 'cat' });
    await expect(client.sendBytes(name, Buffer.alloc(5 * 1024 * 1024))).rejects.toMatchObject({
      code: 'INPUT_TOO_LARGE',
    });
    expect(await client.list()).toHaveLength(1);
  });

  it('keeps the order of calls: what waits for its mark, and what streams', async () => {
    const client = await clientOf({ recover: async () => true });
    const session = await served.local.spawn({ program: 'cat' });
    const order: string[] = [];
    for (const method of ['wait', 'subscribe', 'info'] as const) {
      const real = served.local[method].bind(served.local) as (...args: unknown[]) => never;
      vi.spyOn(served.local, method).mockImplementation((...args: unknown[]) => {
        order.push(method);
        return real(...args);
      });
    }
    vi.spyOn(served.local, 'sendBytes').mockImplementation(async (_ref, { length }) => {
      order.push(`sendBytes ${length}`);
      return { mark: '' };
    });
    await Promise.all([
      // It takes a mark first.
      client.wait(session, { match: ['never'], timeoutMs: 0 }),
      client.sendBytes(session, new Uint8Array(1_000_000)),
      client.subscribe(session),
      client.sendBytes(session, new Uint8Array(1)),
      client.info(session),
    ]);
    expect(order).toEqual(['wait', 'sendBytes 1000000', 'subscribe', 'sendBytes 1', 'info']);
  });

  it('sends no more of a stream than fits into the window, and other streams go on', async () => {
    const publication = await served.local.publish({ name: 'out', by: 'test' });
    const client = await clientOf();
    const stuck = await client.subscribe('out', { scrollbackLines: 0 });
    const other = await client.subscribe('out', { scrollbackLines: 0 });
    const events = other[Symbol.asyncIterator]();
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let count = 0;
    // More than is kept for a subscriber.
    for (let round = 0; round < 140; round++) {
      await publication.write(chunk);
      while (count < (round + 1) * chunk.length) {
        const { value } = await events.next();
        if (value?.type === 'output') count += value.bytes.length;
        else if (value?.type !== 'snapshot') throw new Error(`unexpected ${value?.type}`);
      }
    }
    // What it was sent, then the state in place of the rest.
    let [bytes, snapshots] = [0, 0];
    for await (const event of stuck) {
      if (event.type === 'output') bytes += event.bytes.length;
      else if (event.type === 'snapshot' && ++snapshots === 2) break;
    }
    expect(bytes).toBeGreaterThan(windowBytes / 2);
    expect(bytes).toBeLessThan(windowBytes + chunk.length);
  });

  it('ends a call that is cancelled, and the calls of a client that is gone', async () => {
    const session = await served.local.spawn({ program: 'cat' });
    const client = await clientOf();
    const signals: (AbortSignal | undefined)[] = [];
    const wait = served.local.wait.bind(served.local);
    vi.spyOn(served.local, 'wait').mockImplementation((ref, request) => {
      signals.push(request?.signal as AbortSignal);
      return wait(ref, request);
    });
    const controller = new AbortController();
    const cancelled = client.wait(session, { signal: controller.signal });
    const left = client.wait(session);
    ignored(left, 'its client is closed');
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
    expect(signals[1]?.aborted).toBe(false);
    await client.close();
    await vi.waitFor(() => expect(signals[1]?.aborted).toBe(true));
  });

  it('a coordinator that stops answers what is pending, and refuses the rest without an effect', async () => {
    const session = await served.local.spawn({ program: 'cat' });
    const client = await clientOf({ recover: async () => false });
    const waiting = client.wait(session, { match: ['late'] });
    await client.list();
    const closed = served.server.close({ graceMs: 10_000 });
    await expect(client.sendText(session, 'never')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await served.local.sendText(session, 'late\r');
    expect((await waiting).outcome).toBe('matched');
    await closed;
  });

  it('a coordinator that stops does not wait for a client without calls that does not read', async () => {
    const suspended = socketOf();
    suspended.write(preface);
    await once(suspended, 'readable');
    const closed = served.server.close({ graceMs: 600_000 });
    await closed;
    suspended.resume();
    await once(suspended, 'close');
  });

  it('tells a client what to do about a coordinator of an older version', async () => {
    const { createServer } = await import('node:http');
    const { mkdtempSync, rmSync } = await import('node:fs');
    const directory = mkdtempSync('/tmp/vtr-old-');
    const old = createServer();
    await new Promise<void>((resolve) => old.listen(`${directory}/s`, resolve));
    const recover = vi.fn(async () => true);
    await expect(connect({ socket: `${directory}/s`, recover })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(
        /^the process that listens at .*'vtr serve --restart' replaces it$/,
      ),
    });
    // It would not help to try again.
    expect(recover).not.toHaveBeenCalled();
    old.close();
    rmSync(directory, { recursive: true, force: true });
  });
});

const named = () =>
  toBinary(SubscribeRequestSchema, create(SubscribeRequestSchema, { name: 'one' }));

const twice = (bytes: Buffer): Buffer => Buffer.concat([bytes, bytes]);
