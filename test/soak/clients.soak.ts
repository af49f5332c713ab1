import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Code } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ignored } from '#base';
import { root } from '../../scripts/root.mjs';
import { allowedEchoMs, MeasuredDaemon, report } from '../support/command/measured-daemon.ts';
import { cpuMs, openFiles } from '../support/pty/process-facts.ts';
import { testProgram } from '../support/pty/pty-request.ts';

const megabyte = 1024 * 1024;

/** A client in its own process that follows a session. */
async function subscriber(daemon: MeasuredDaemon, session: string) {
  const args = [testProgram('subscriber.mjs'), daemon.place.socket, session];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = async (word: string) => {
    for (;;) {
      const [text] = await once(child.stdout, 'data');
      if (String(text).includes(word)) return;
    }
  };
  await said('subscribed');
  return { child, said };
}

describe('clients that are suspended in the middle of a flood', () => {
  it('delay no other client, cost at most 16 MB each, and continue from the newest state', {
    retry: 2,
  }, async () => {
    const daemon = await MeasuredDaemon.start();
    await daemon.coordinator.spawn({ name: 'flood', program: 'yes' });
    await daemon.echoes(10_000);
    const subscribers = await Promise.all([1, 2, 3, 4].map(() => subscriber(daemon, 'flood')));
    for (const { child } of subscribers) child.kill('SIGSTOP');
    let times = await daemon.echoes(100);
    const growthMb = await daemon.growthMb(async () => {
      times = await daemon.echoes(30_000);
    });
    const boundMs = allowedEchoMs(20, times);
    report({ ...times, growthMb, boundMs });
    expect(times.p99Ms).toBeLessThan(boundMs);
    expect(growthMb).toBeLessThan(4 * 16);
    const resynced = subscribers.map(({ said }) => said('resynced'));
    for (const { child } of subscribers) {
      child.kill('SIGUSR1');
      child.kill('SIGCONT');
    }
    await Promise.all(resynced);
  });
});

describe('a thousand idle subscribers, each with its own connection', () => {
  it('cost less than 150 MB and 2 % of a processor', async () => {
    const daemon = await MeasuredDaemon.start();
    await daemon.coordinator.spawn({ name: 'still', program: 'cat' });
    const subscribe = async () => {
      const client = await daemon.connect();
      const subscription = (await client.subscribe('still'))[Symbol.asyncIterator]();
      expect((await subscription.next()).value?.type).toBe('snapshot');
    };
    const growthMb = await daemon.growthMb(async () => {
      for (let count = 0; count < 1000; count += 20) {
        await Promise.all(Array.from({ length: 20 }, subscribe));
      }
    });
    await delay(1_000);
    const [beforeMs, usedMs] = [performance.now(), cpuMs(daemon.pid)];
    await delay(10_000);
    const percent = (100 * (cpuMs(daemon.pid) - usedMs)) / (performance.now() - beforeMs);
    report({ growthMb, percent });
    expect(growthMb).toBeLessThan(150);
    expect(percent).toBeLessThan(2);
  });
});

describe('clients that attack the daemon', () => {
  const http2 = (daemon: MeasuredDaemon) => {
    const session = connectHttp2('http://localhost', {
      createConnection: () => connectSocket(daemon.place.socket),
    });
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    return session;
  };
  const open = (session: ReturnType<typeof http2>, method: string) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/vtr.VTR/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    return stream.on('error', () => {}).resume();
  };

  /** Its costs are bounded, nothing of it remains, and other clients are served. */
  const expectBounded = async (
    maxMb: number,
    attack: (daemon: MeasuredDaemon) => Promise<unknown>,
  ) => {
    const daemon = await MeasuredDaemon.start();
    await daemon.echoes(2_000);
    const files = openFiles(daemon.pid);
    const growthMb = await daemon.growthMb(() => attack(daemon));
    report({ growthMb });
    expect(growthMb).toBeLessThan(maxMb);
    expect((await daemon.echoes(1_000)).count).toBeGreaterThan(0);
    await expect
      // A connection that violates the protocol is closed after half a minute of silence.
      .poll(() => openFiles(daemon.pid), { timeout: 60_000 })
      .toBeLessThanOrEqual(files + 1);
  };

  it('by a message of 100 MB are refused, and cost less than 50 MB', () =>
    expectBounded(50, async (daemon) => {
      const session = http2(daemon);
      const stream = open(session, 'SendBytes');
      const trailers = once(stream, 'trailers');
      const head = Buffer.alloc(5);
      head.writeUInt32BE(100 * megabyte, 1);
      stream.write(head);
      const chunk = Buffer.alloc(megabyte);
      const flowing = (async () => {
        for (let count = 0; count < 100 && !stream.destroyed; count++) {
          if (!stream.write(chunk))
            await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
        }
      })();
      const [headers] = await trailers;
      expect(headers['grpc-status']).toBe(String(Code.ResourceExhausted));
      stream.close(constants.NGHTTP2_CANCEL);
      await ignored(flowing, 'its stream is cancelled');
      session.destroy();
    }));

  // The goal is 50 MB. A connection may make a thousand calls, which take some 80 KB each.
  it('by ten thousand streams cost less than 128 MB', () =>
    expectBounded(128, async (daemon) => {
      const { name } = await daemon.coordinator.spawn({ program: 'cat' });
      const session = http2(daemon);
      await once(session, 'remoteSettings');
      const message = Buffer.from([0x0a, name.length, ...Buffer.from(name)]);
      const bytes = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
      for (let count = 0; count < 10_000; count++) open(session, 'WaitForExit').end(bytes);
      await delay(3_000);
      session.destroy();
      await daemon.coordinator.remove(name);
    }));

  it('by input that is not HTTP cost less than 50 MB', () =>
    expectBounded(50, async (daemon) => {
      const greeting = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
      const frame = fc
        .tuple(
          fc.nat({ max: 12 }),
          fc.nat({ max: 255 }),
          fc.nat({ max: 5 }),
          fc.uint8Array({ maxLength: 64 }),
        )
        .map(([type, flags, stream, payload]) => {
          const head = Buffer.alloc(9);
          head.writeUIntBE(payload.length, 0, 3);
          head.set([type, flags], 3);
          head.writeUInt32BE(stream, 5);
          return Buffer.concat([head, payload]);
        });
      const frames = fc
        .array(frame, { maxLength: 20 })
        .map((all) => Buffer.concat([greeting, ...all]));
      const noise = fc.uint8Array({ maxLength: 4096 }).map((bytes) => Buffer.from(bytes));
      for (const bytes of fc.sample(fc.oneof(frames, frames, noise), 2_000)) {
        const socket = connectSocket(daemon.place.socket);
        socket.on('error', () => {}).resume();
        await new Promise((resolve) => socket.write(bytes, resolve));
        // Some are answered, and some closed; the others are not awaited.
        await Promise.race([once(socket, 'close'), once(socket, 'data'), delay(5)]);
        socket.destroy();
      }
    }));
});
