import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '#model';
import type { EchoTimes } from '../support/command/echo-times.ts';
import {
  allowedEchoMs,
  allowedMs,
  MeasuredDaemon,
  report,
} from '../support/command/measured-daemon.ts';
import { shortened } from '../support/run/durations.ts';

const noTimes: EchoTimes = {
  p50Ms: 0,
  p99Ms: 0,
  maxMs: 0,
  count: 0,
  controlMs: 0,
  controlMaxMs: 0,
};

const flood = (daemon: MeasuredDaemon, count: number): Promise<SessionInfo[]> =>
  Promise.all(Array.from({ length: count }, () => daemon.coordinator.spawn({ program: 'yes' })));

describe('two programs that flood their terminals for a minute', () => {
  it('delay the echo of another session by less than 20 ms, and end at ctrl+c within 200 ms', {
    retry: 2,
  }, async () => {
    const daemon = await MeasuredDaemon.start();
    const boundOfEndMs = allowedMs(200);
    await daemon.echoes(2_000);
    let endMs = 0;
    let times = noTimes;
    const growthMb = await daemon.growthMb(async () => {
      const floods = await flood(daemon, 2);
      times = await daemon.echoes(shortened(60_000, 3_000));
      for (const each of floods) {
        const begin = performance.now();
        const ended = daemon.coordinator.wait(each);
        await daemon.coordinator.sendKeys(each, ['ctrl+c']);
        expect((await ended).exitStatus).toEqual({ code: null, signal: 'SIGINT' });
        endMs = Math.max(endMs, performance.now() - begin);
      }
    });
    const boundMs = allowedEchoMs(20, times);
    report({ ...times, endMs, growthMb, boundMs });
    expect(times.p99Ms).toBeLessThan(boundMs);
    expect(endMs).toBeLessThan(boundOfEndMs);
    expect(growthMb).toBeLessThan(50);
  });
});

describe('ten programs that flood their terminals', () => {
  it('block each other and an echo for at most 500 ms', {
    retry: 2,
  }, async () => {
    const daemon = await MeasuredDaemon.start();
    const boundMs = allowedMs(500);
    const floods = await flood(daemon, 10);
    let running = true;
    let longestMs = 0;
    const watch = async (session: SessionInfo) => {
      while (running) {
        const { elapsedMs } = await daemon.coordinator.wait(session, { match: ['^y$'] });
        longestMs = Math.max(longestMs, elapsedMs);
      }
    };
    const watched = floods.map(watch);
    const times = await daemon.echoes(shortened(20_000, 3_000));
    running = false;
    await Promise.all(watched);
    report({ ...times, longestMs, boundMs });
    expect(times.maxMs).toBeLessThan(boundMs);
    expect(longestMs).toBeLessThan(boundMs);
  });
});

describe('a program that asks for a checksum of a screen of 1000x1000 again and again', () => {
  it('delays the echo of another session by less than 100 ms', { retry: 2 }, async () => {
    const daemon = await MeasuredDaemon.start();
    await daemon.echoes(2_000);
    // The daemon works all the time, so its share of a busy machine counts.
    const alsoBusyMs = allowedMs(100);
    // DECRQCRA (VT420); the replies are not read.
    const script = `stty raw -echo; exec perl -e 'print "\\e[1;1;1;1;1000;1000*y" x 200 while 1'`;
    const size = { cols: 1000, rows: 1000 };
    await daemon.coordinator.spawn({ name: 'large', program: 'sh', args: ['-c', script], size });
    const times = await daemon.echoes(shortened(20_000, 3_000));
    const boundMs = Math.max(alsoBusyMs, allowedEchoMs(100, times));
    report({ ...times, boundMs });
    expect((await daemon.coordinator.info('large')).state).toBe('running');
    expect(times.p99Ms).toBeLessThan(boundMs);
  });
});
