import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tree } from '../../test/support/tree.ts';
import { systemClock } from './system-clock.ts';

/** Two ends of a socket: bytes written to one can be read from the other at once. */
async function socketPair(): Promise<[Socket, Socket]> {
  const path = join(tree(), 's');
  const server = createServer().listen(path);
  const accepted = once(server, 'connection');
  const near = connect(path);
  const [far] = (await accepted) as [Socket];
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return [near, far];
}

describe('systemClock', () => {
  it('defers until the pending input has been read', async () => {
    const [near, far] = await socketPair();
    const order: string[] = [];
    far.on('data', () => order.push('input'));
    await new Promise<void>((resolve) => {
      near.write('x', () => {
        systemClock.afterPendingIo(() => {
          order.push('after it');
          resolve();
        });
      });
    });
    expect(order).toEqual(['input', 'after it']);
  });

  it('is never early, although timers may be', async () => {
    vi.stubGlobal('setTimeout', (run: () => void) => setImmediate(run));
    onTestFinished(() => void vi.unstubAllGlobals());
    const beganMs = systemClock.nowMs();
    await new Promise<void>((resolve) => systemClock.schedule(5, resolve));
    expect(systemClock.nowMs() - beganMs).toBeGreaterThanOrEqual(5);
  });

  it('does not run a callback that was disposed at any stage', async () => {
    const ran: string[] = [];
    systemClock.schedule(0, () => ran.push('timer')).dispose();
    systemClock.afterPendingIo(() => ran.push('at once')).dispose();
    const second = systemClock.afterPendingIo(() => ran.push('one turn later'));
    setImmediate(() => second.dispose());
    await new Promise<void>((resolve) => {
      systemClock.schedule(0, () => {
        systemClock.afterPendingIo(() => systemClock.afterPendingIo(resolve));
      });
    });
    expect(ran).toEqual([]);
  });

  it('accepts times in the past, and times beyond the longest timer', async () => {
    await new Promise<void>((resolve) => systemClock.schedule(-1000, resolve));
    let fired = false;
    const far = systemClock.schedule(2 ** 40, () => {
      fired = true;
    });
    await new Promise<void>((resolve) => systemClock.schedule(5, resolve));
    far.dispose();
    expect(fired).toBe(false);
  });

  it('has the same time in all processes', () => {
    const before = systemClock.nowMs();
    const script = 'const [s, ns] = process.hrtime(); console.log(s * 1e3 + ns / 1e6)';
    const other = Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }));
    expect(other).toBeGreaterThan(before);
    expect(other).toBeLessThan(systemClock.nowMs());
  });

  it('measures durations by a clock other than the time of day', () => {
    expect(systemClock.nowMs()).toBeLessThan(systemClock.wallMs() / 2);
    expect(Math.abs(systemClock.wallMs() - Date.now())).toBeLessThan(60_000);
  });
});
