import { EventEmitter, once } from 'node:events';
import { duplexPair, PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { passBytes } from './connect.ts';

/** Two ends of a connection that behave as sockets. */
const pair = () => duplexPair({ allowHalfOpen: false });

describe('bytes that are passed between a socket and two streams', () => {
  it('arrive whole at a reader that is slower than the socket, and after its end', async () => {
    const [socket, server] = pair();
    let arrived = 0;
    let mayRead = () => {};
    const output = new Writable({
      highWaterMark: 1024 * 1024,
      write(chunk: Buffer, _encoding, done) {
        mayRead = () => {
          arrived += chunk.length;
          done();
        };
        // Once it is read, what follows is, too.
        if (arrived > 0) mayRead();
      },
    });
    const responds = async () => true;
    const passed = passBytes({ socket, input: new PassThrough(), output, responds });
    const arrivedAtEnd = passed.then((outcome) => ({ outcome, arrived }));
    server.resume();
    for (let index = 0; index < 10; index++) server.write(Buffer.alloc(10_000));
    server.end();
    await once(socket, 'close');
    await setImmediate();
    mayRead();
    expect(await arrivedAtEnd).toEqual({ outcome: 'closed', arrived: 100_000 });
  });

  it.each(['input', 'output', 'socket'] as const)('end with an error of the %s', async (name) => {
    const [socket] = pair();
    const streams = { socket, input: new PassThrough(), output: new PassThrough() };
    const passed = passBytes({ ...streams, responds: async () => true });
    streams[name].destroy(new Error('broken'));
    expect(await passed).toBe('closed');
  });

  it('are ended by the end of the input, after the last answer', async () => {
    const [socket, server] = pair();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const passed = passBytes({ socket, input, output, responds: async () => true });
    server.once('end', () => server.end('the last answer'));
    server.resume();
    input.end('asked');
    expect(await passed).toBe('closed');
    expect(String(output.read())).toBe('the last answer');
  });
});

describe('a process that does not respond', () => {
  /** Bytes that are passed; `ask` emits the function that says whether the process responds. */
  const pass = () => {
    const [socket, server] = pair();
    const [input, output] = [new PassThrough(), new PassThrough()];
    server.resume();
    const asks = new EventEmitter();
    const responds = () => new Promise<boolean>((resolve) => asks.emit('ask', resolve));
    const passed = passBytes({ socket, input, output, responds, suspicionMs: 1 });
    const nextAsk = async (): Promise<(responds: boolean) => void> => (await once(asks, 'ask'))[0];
    return { server, input, output, passed, asked: nextAsk };
  };

  it('is noticed after it has responded once', async () => {
    const { input, passed, asked } = pass();
    for (const responds of [true, false]) {
      const next = asked();
      input.write('a call');
      (await next)(responds);
      await setImmediate();
    }
    expect(await passed).toBe('silent');
  });

  it('is noticed if something is sent while it is asked', async () => {
    const { server, input, passed, asked } = pass();
    const first = asked();
    input.write('a wait');
    const answer = await first;
    input.write('another call');
    await once(server, 'data');
    const second = asked();
    answer(true);
    (await second)(false);
    expect(await passed).toBe('silent');
  });

  it('is noticed if it has answered only a part of what was sent', async () => {
    const { server, input, output, passed, asked } = pass();
    const first = asked();
    input.write('two calls');
    await once(server, 'data');
    server.write('one answer');
    await once(output, 'readable');
    (await first)(false);
    expect(await passed).toBe('silent');
  });

  it('is not taken for one that answers while it is asked', async () => {
    const { server, input, output, passed, asked } = pass();
    const first = asked();
    input.write('a call');
    const answer = await first;
    server.write('an answer');
    await once(output, 'readable');
    answer(false);
    server.end();
    expect(await passed).toBe('closed');
  });
});
