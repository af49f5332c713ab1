import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { CommandCall, RunCommand } from '#model';
import { CommandConnection } from './command-connection.ts';
import { SharedLimits } from './limits/served-connection.ts';

const texts = (...all: readonly string[]): Buffer =>
  Buffer.from(all.map((each) => `${each}\0`).join(''));

function framed(request: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(request.length);
  return Buffer.concat([head, request]);
}

/** A socket that keeps what is written. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly writableLength = 0;
  output = '';

  write(bytes: Uint8Array, then = () => {}): boolean {
    this.output += Buffer.from(bytes).toString('latin1');
    then();
    return true;
  }

  end(bytes: Uint8Array): void {
    this.write(bytes);
    this.destroy();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

function connected(run: RunCommand) {
  const socket = new FakeSocket();
  const closed: string[] = [];
  const service = {
    unary: async () => ({}),
    stream: () => [] as never,
    close: () => closed.push(''),
  };
  const connection = new SharedLimits().connection({ kind: 'cli', pid: 7 });
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  new CommandConnection(socket as unknown as Socket, connection, { run, service, onFault });
  return { socket, closed, faults };
}

const request = framed(texts('1 80 0 12', '/home', '2', 'ls', '--json', 'A=1', 'B=x=y', 'A=2'));
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a connection for a command', () => {
  it('runs it with what its caller is, and answers in parts', async () => {
    const calls: CommandCall[] = [];
    const { socket, closed } = connected(async (call) => {
      calls.push(call);
      call.out(Buffer.from('out'));
      call.err('err');
      return 5;
    });
    for (const byte of request) socket.emit('data', Buffer.of(byte));
    await settled();
    const env = { A: '1', B: 'x=y' };
    expect(calls[0]).toMatchObject({
      words: ['ls', '--json'],
      cwd: '/home',
      env,
      pid: 7,
      ppid: 12,
    });
    expect(calls[0]).toMatchObject({ isTerminal: true, columns: 80, sharesOutput: false });
    expect(socket.output).toBe('o\x03\0\0\0oute\x03\0\0\0errx\x01\0\0\0\x05');
    expect(closed).toHaveLength(1);
  });

  it('refuses what is too large or wrong, and what the command refuses', async () => {
    const large = connected(async () => 0);
    large.socket.emit('data', Buffer.from([1, 0, 16, 0]));
    const wrong = connected(async () => 0);
    wrong.socket.emit('data', framed(texts('1 80', '/', '0')));
    const refused = connected(async () => null);
    refused.socket.emit('data', request);
    await settled();
    for (const { socket } of [large, wrong, refused]) expect(socket.output).toBe('n\0\0\0\0');
  });

  it('tells of SIGINT, and cancels when its caller has gone', async () => {
    const { socket, closed } = connected(async ({ interrupted }) => {
      await interrupted;
      return 130;
    });
    socket.emit('data', request);
    socket.emit('data', Buffer.from('I'));
    await settled();
    expect(socket.output).toBe('x\x01\0\0\0\x82');
    const gone = connected(() => new Promise(() => {}));
    gone.socket.emit('data', request);
    gone.socket.emit('end');
    expect([gone.socket.destroyed, gone.closed.length, closed.length]).toEqual([true, 1, 1]);
  });
});
