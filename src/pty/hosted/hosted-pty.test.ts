import { createServer, type Server, Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ignored } from '#base';
import { ptyRequest } from '../../../test/support/pty/pty-request.ts';
import { tree } from '../../../test/support/tree.ts';
import type { OutputChunk, Pty, PtyHost } from '../port.ts';
import {
  encodeDataHeader,
  encodeFields,
  encodeFrame,
  encodeJson,
  Fields,
  type Frame,
  FrameReader,
  flooding,
  lazy,
  protocol,
} from './frames.ts';
import { encodeHello } from './probe-pty-host.ts';
import { connectPtyHost } from './start-pty-host.ts';

let socket = '';
let server: Server;
let peer: Socket;
let received: Frame[] = [];
let host: PtyHost;
/** As if its process was stopped. */
let isSuspended: boolean;

/** A host that answers a spawn; a test sends the rest. */
beforeEach(async () => {
  received = [];
  isSuspended = false;
  socket = join(tree(), 'ptyd');
  server = createServer((connection) => {
    peer = connection;
    const facts = { pid: 1234 };
    send(encodeFrame('hello', {}, encodeHello({ ...protocol, version: 'test', facts })));
    const reader = new FrameReader((frame) => {
      received.push({ ...frame, payload: new Uint8Array(frame.payload) });
      if (isSuspended) return;
      const { type, request } = frame;
      const started = encodeJson({ pid: 4711, program: '/bin/fake' });
      if (type === 'spawn') send(encodeFrame('started', { request, session: 1 }, started));
      if (type === 'take') send(encodeFrame('answer', { request }, encodeJson({})));
      if (type === 'bye') send(encodeFrame('answer', { request }, encodeJson({})));
      if (type === 'ping') send(encodeFrame('pong', {}));
    });
    connection.on('data', (chunk) => reader.push(chunk));
    connection.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  host = await connectPtyHost({ socket, version: 'test' });
});
afterEach(async () => {
  vi.useRealTimers();
  isSuspended = false;
  await ignored(host.close(), 'the test may have ended it');
  server.close();
});

const send = (...frames: readonly Uint8Array[]) => void peer.write(Buffer.concat(frames));

function data(offset: number, bytes: Uint8Array, isLazy = false): Buffer {
  const header = encodeDataHeader(1, { offset, wallMs: 1, bootMs: 2, bytes }, isLazy ? lazy : 0);
  return Buffer.concat([header, bytes]);
}

/** Frames of a session that floods; they take longer to handle than a turn. */
const floodFrames = 8;
const frameBytes = 4096;
function flood(): Buffer[] {
  const bytes = Buffer.alloc(frameBytes, 'x');
  return Array.from({ length: floodFrames }, (_, at) => {
    const step = { offset: at * frameBytes, wallMs: 1, bootMs: 2, bytes };
    return Buffer.concat([encodeDataHeader(1, step, flooding), bytes]);
  });
}
function spendTurn(): void {
  for (const beganMs = performance.now(); performance.now() - beganMs < 1; );
}

const text = ({ bytes }: OutputChunk) => Buffer.from(bytes).toString('latin1');

/** The offsets that were acknowledged. */
const acknowledged = () =>
  received
    .filter(({ type }) => type === 'ack')
    .map(({ payload }) => {
      const fields = new Fields(payload);
      expect(fields.u32()).toBe(1);
      return fields.offset();
    });

const spawn = (): Promise<Pty> => host.spawn(ptyRequest('fake'));

describe('a hosted pseudo-terminal', () => {
  it('asks about the program at once, and for a list with the other questions of the turn', async () => {
    const pty = await spawn();
    const uncork = vi.spyOn(Socket.prototype, 'uncork');
    try {
      void pty.foreground([]);
      expect(uncork).not.toHaveBeenCalled();
      void pty.foreground();
      expect(uncork).toHaveBeenCalledOnce();
    } finally {
      uncork.mockRestore();
    }
  });

  it('delivers each frame in one piece, and steps in their places', async () => {
    const pty = await spawn();
    const events: unknown[] = [];
    pty.onStep((step) => events.push(step));
    pty.readOutput(0, (chunk) => events.push(text(chunk)));
    const resized = encodeFields({ offset: 5 }, { u16: 99 }, { u16: 33 });
    const note = encodeFields(
      { offset: 8 },
      { offset: 1 },
      { bytes: encodeJson({ note: 'frame_end' }) },
    );
    send(
      data(0, Buffer.from('one')),
      data(3, Buffer.from('tw')),
      encodeFrame('resized', { session: 1 }, resized),
      data(5, Buffer.from('o\r\n')),
      encodeFrame('note', { session: 1 }, note),
      data(8, Buffer.from('three')),
    );
    await vi.waitFor(() => expect(events.at(-1)).toBe('three'));
    expect(events).toEqual([
      ...['one', 'tw'],
      { type: 'resize', offset: 5, size: { cols: 99, rows: 33 } },
      'o\r\n',
      { type: 'note', offset: 8, note: 'frame_end' },
      'three',
    ]);
  });

  it('delivers frames that arrived while it was paused one by one', async () => {
    const pty = await spawn();
    const texts: string[] = [];
    pty.readOutput(0, (chunk) => {
      texts.push(text(chunk));
      if (texts.length === 2) pty.pause();
    });
    send(...['a', 'b', 'c', 'd'].map((each, offset) => data(offset, Buffer.from(each))));
    await vi.waitFor(() => expect(texts).toEqual(['a', 'b']));
    await vi.waitFor(() => expect(received.some(({ type }) => type === 'ask')).toBe(true));
    expect([pty.outputEnd, texts]).toEqual([2, ['a', 'b']]);
    pty.resume();
    expect(texts).toEqual(['a', 'b', 'c', 'd']);
  });

  it('acknowledges output even if that may be rare and nothing follows', async () => {
    const pty = await spawn();
    pty.readOutput(0, () => {});
    const count = 10;
    const bytes = Buffer.alloc(16 * 1024, 'x');
    const frames = Array.from({ length: count }, (_, at) => data(at * bytes.length, bytes, true));
    expect(frames[0]?.[5]).toBe(lazy);
    send(...frames);
    await vi.waitFor(() => expect(acknowledged().at(-1)).toBe(count * bytes.length));
  });

  it('acknowledges output that was held while it was paused', async () => {
    const pty = await spawn();
    pty.readOutput(0, () => pty.pause());
    const half = Buffer.alloc(3000, 'x');
    send(data(0, half), data(half.length, half));
    await vi.waitFor(() => expect(acknowledged()).toEqual([half.length]));
    pty.resume();
    await vi.waitFor(() => expect(acknowledged()).toEqual([half.length, 2 * half.length]));
  });

  it('[law 6] answers a question after the output that the host sent before, also in a flood', async () => {
    const pty = await spawn();
    pty.readOutput(0, spendTurn);
    const end = pty.modes().then(() => pty.outputEnd);
    await vi.waitFor(() => expect(received.some(({ type }) => type === 'ask')).toBe(true));
    const { request = 0 } = received.find(({ type }) => type === 'ask') ?? {};
    send(...flood(), encodeFrame('answer', { request }, encodeJson({ value: null })));
    expect(await end).toBe(floodFrames * frameBytes);
  });

  it('[law 6] delivers the output that a host sent before its connection ended, also of a flood', async () => {
    const pty = await spawn();
    pty.readOutput(0, spendTurn);
    peer.end(Buffer.concat(flood()));
    await pty.exit;
    expect(pty.outputEnd).toBe(floodFrames * frameBytes);
  });

  it('[law 9] reads no more of a flood than a part, and delivers all of it unchanged', async () => {
    const frames = 128;
    const bytesEach = 16 * 1024;
    const all = Buffer.alloc(frames * bytesEach);
    for (let at = 0; at < frames; at++) {
      all.fill(at, at * bytesEach, (at + 1) * bytesEach);
    }
    let count = 0;
    const sendNext = () => {
      if (count === frames) return;
      const offset = count++ * bytesEach;
      const bytes = all.subarray(offset, offset + bytesEach);
      const header = encodeDataHeader(1, { offset, wallMs: 1, bootMs: 2, bytes }, flooding);
      peer.write(Buffer.concat([header, bytes]), sendNext);
    };
    const pty = await spawn();
    const delivered: Uint8Array[] = [];
    let mostWaiting = 0;
    pty.readOutput(0, ({ offset, bytes }) => {
      mostWaiting = Math.max(mostWaiting, count * bytesEach - offset);
      delivered.push(bytes.slice());
      spendTurn();
    });
    sendNext();
    await vi.waitFor(() => expect(pty.outputEnd).toBe(all.length), { timeout: 60_000 });
    expect(Buffer.concat(delivered).equals(all)).toBe(true);
    // With what the system keeps for a socket.
    expect(mostWaiting).toBeLessThan(all.length / 2);
  });

  it('is lost if its host does not follow the protocol', async () => {
    const pty = await spawn();
    const texts: string[] = [];
    pty.readOutput(0, (chunk) => texts.push(text(chunk)));
    send(data(0, Buffer.from('a')), data(7, Buffer.from('b')));
    expect(await pty.exit).toEqual({ code: null, signal: 'SIGHUP' });
    expect(texts).toEqual(['a']);
    await expect(spawn()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('step at 7, expected at 1'),
    });
  });

  it('sends a note at the offset that its readers have reached', async () => {
    const pty = await spawn();
    pty.readOutput(0, () => {
      if (pty.outputEnd === 3) pty.note('frame_end');
    });
    send(data(0, Buffer.from('ab')), data(2, Buffer.from('c')));
    await vi.waitFor(() => expect(pty.outputEnd).toBe(3));
    pty.note('frame_end');
    await vi.waitFor(() =>
      expect(
        received
          .filter(({ type }) => type === 'note')
          .map(({ payload }) => new Fields(payload).offset()),
      ).toEqual([2, 3]),
    );
  });
});

it('sends a note that belongs before a step with the number of steps before that', async () => {
  const pty = await spawn();
  pty.readOutput(0, () => {});
  pty.onStep(() => pty.note('erase 1 0', 'before_step'));
  const resized = encodeFields({ offset: 2 }, { u16: 90 }, { u16: 20 });
  send(data(0, Buffer.from('ab')), encodeFrame('resized', { session: 1 }, resized));
  await vi.waitFor(() => expect(received.at(-1)?.type).toBe('note'));
  const fields = new Fields(received.at(-1)?.payload ?? Buffer.alloc(0));
  expect([fields.offset(), fields.offset(), pty.stepsDelivered]).toEqual([2, 0, 2]);
});

describe('a host that does not respond', () => {
  const unavailable = {
    code: 'UNAVAILABLE',
    message: expect.stringContaining('the PTY host (process 1234) does not respond; '),
  };
  const count = (type: Frame['type']) => received.filter((frame) => frame.type === type).length;

  /** Runs the timers until a promise is settled. */
  async function timed<T>(result: Promise<T>): Promise<number> {
    const beganMs = performance.now();
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    result.then(settled, settled);
    while (!isSettled && performance.now() - beganMs < 10_000) {
      vi.advanceTimersByTime(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return performance.now() - beganMs;
  }

  beforeEach(async () => {
    await host.close();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    host = await connectPtyHost({ socket, version: 'test' });
    received = [];
  });

  it('fails the calls that wait, and later ones at once', async () => {
    const pty = await spawn();
    isSuspended = true;
    const writing = pty.write(Buffer.from('x'));
    const calls = Promise.allSettled([
      ...[writing, pty.resize({ cols: 9, rows: 9 }), pty.end(), spawn()],
    ]);
    const others = Promise.all([host.listProcesses(), pty.modes(), pty.foreground()]);
    expect(await timed(Promise.all([calls, others]))).toBeLessThan(2_700);
    for (const call of await calls) expect(call).toMatchObject({ reason: unavailable });
    await expect(writing).rejects.toMatchObject({ details: { accepted: 'unknown' } });
    expect(await others).toMatchObject([[], null, { program: null }]);
    expect([pty.isLost, pty.exitedAtMs]).toEqual([false, null]);
    const again = { ...unavailable, details: { acceptedBytes: 0 } };
    await expect(pty.write(Buffer.from('x'))).rejects.toMatchObject(again);
    await expect(spawn()).rejects.toMatchObject(unavailable);
    await expect(pty.end()).rejects.toMatchObject(unavailable);
    expect([count('write'), count('spawn')]).toEqual([1, 2]);
  });

  it('gets answers to queries nevertheless: the program waits for them', async () => {
    const pty = await spawn();
    isSuspended = true;
    await timed(ignored(spawn(), 'the host does not respond'));
    await expect(pty.write(Buffer.from('\x1b[0n'), { answersTo: 4 })).rejects.toMatchObject(
      unavailable,
    );
    await vi.waitFor(() => expect(count('write')).toBe(1));
  });

  it('works again when it responds, and ends programs that nobody waits for', async () => {
    const pty = await spawn();
    isSuspended = true;
    const [late] = await Promise.allSettled([
      spawn(),
      timed(ignored(spawn(), 'the host does not respond')),
    ]);
    expect(late).toMatchObject({ status: 'rejected', reason: unavailable });
    isSuspended = false;
    const request = received.findLast(({ type }) => type === 'spawn')?.request ?? 0;
    const started = encodeJson({ pid: 4712, program: '/bin/fake' });
    send(encodeFrame('started', { request, session: 2 }, started));
    await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: 'ask', session: 2 }));
    send(encodeFrame('answer', { request: received.at(-1)?.request ?? 0 }, encodeJson({})));
    await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: 'forget', session: 2 }));
    const written = pty.write(Buffer.from('y'));
    await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: 'write', session: 1 }));
    const answered = { request: received.at(-1)?.request ?? 0 };
    send(encodeFrame('written', answered, encodeFields({ u32: 0 })));
    expect(await written).toEqual({});
  });

  it('is left with its programs', async () => {
    const pty = await spawn();
    isSuspended = true;
    pty.pause();
    await timed(ignored(spawn(), 'the host does not respond'));
    pty.resume();
    await vi.waitFor(() => expect(count('ask')).toBe(2));
    await expect(host.close()).rejects.toMatchObject(unavailable);
    await vi.waitFor(() => expect(count('bye')).toBe(1));
  });
});
