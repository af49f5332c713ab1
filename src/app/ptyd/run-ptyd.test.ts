import { existsSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tree } from '../../../test/support/tree.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { LastingListener } from './run-ptyd.ts';

let listener: LastingListener;

afterEach(() => listener.close());

async function opened(path: string) {
  const clock = new VirtualClock();
  const accepted: unknown[] = [];
  const logged: string[] = [];
  listener = new LastingListener({
    path,
    clock,
    log: (line) => void logged.push(line),
    onConnection(socket) {
      accepted.push(socket);
      socket.end();
    },
  });
  await listener.open();
  /** Connects once. */
  const reach = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(path);
      socket.once('error', reject);
      socket.resume().once('close', () => resolve());
    });
  return { clock, accepted, logged, reach };
}

describe('LastingListener', () => {
  it('listens at a socket that only its owner may use, and leaves no other file', async () => {
    const path = join(tree(), 'host');
    const { accepted, reach } = await opened(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await reach();
    expect(accepted).toHaveLength(1);
    listener.close();
    expect(existsSync(path)).toBe(false);
  });

  it('listens again when the socket or its directory was removed', async () => {
    const path = join(tree(), 'a/host');
    const { clock, accepted, logged, reach } = await opened(path);
    clock.advance(30_000);
    expect(logged).toEqual([]);
    for (const removed of [path, dirname(path)]) {
      rmSync(removed, { recursive: true });
      clock.advance(30_000);
      await vi.waitFor(() => expect(existsSync(path)).toBe(true));
      await reach();
    }
    expect(accepted).toHaveLength(2);
    expect(logged).toHaveLength(2);
    expect(clock.pending).toBe(1);
  });

  it('listens again at once when it is checked, and once', async () => {
    const path = join(tree(), 'host');
    const { accepted, logged, reach } = await opened(path);
    await listener.check();
    expect(logged).toEqual([]);
    rmSync(path);
    await Promise.all([listener.check(), listener.check()]);
    await reach();
    expect([accepted.length, logged.length]).toEqual([1, 1]);
    listener.close();
    await listener.check();
    expect(existsSync(path)).toBe(false);
  });

  it('fails if it cannot listen', async () => {
    const path = join(tree(), 'x'.repeat(200));
    listener = new LastingListener({
      path,
      clock: new VirtualClock(),
      log() {},
      onConnection() {},
    });
    await expect(listener.open()).rejects.toThrow();
  });
});
